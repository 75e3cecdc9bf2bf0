// A program whose instructions in user code and in the kernel are known:
//   known_split ROUNDS ITERATIONS CALLS   each round has a loop of 4 x ITERATIONS instructions and CALLS system calls
// Prints the instructions in user code and in the kernel, as its own two counters have them.
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void spin(uint64_t iterations) {
  __asm__ volatile("1: nop\n nop\n subs %0, %0, #1\n b.ne 1b\n" : "+r"(iterations) : : "cc");
}

static int count_instructions(int in_kernel) {
  struct perf_event_attr attribute;
  memset(&attribute, 0, sizeof attribute);
  attribute.size = sizeof attribute;
  attribute.type = PERF_TYPE_HARDWARE;
  attribute.config = PERF_COUNT_HW_INSTRUCTIONS;
  attribute.exclude_user = in_kernel;
  attribute.exclude_kernel = !in_kernel;
  attribute.exclude_hv = 1;
  return (int)syscall(SYS_perf_event_open, &attribute, 0, -1, -1, 0);
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const long rounds = atol(words[1]);
  const uint64_t iterations = strtoull(words[2], NULL, 10);
  const long calls = atol(words[3]);
  const int counters[] = {count_instructions(0), count_instructions(1)};
  if (counters[0] < 0 || counters[1] < 0) {
    perror("perf_event_open");
    return 1;
  }
  for (long round = 0; round < rounds; ++round) {
    spin(iterations);
    for (long call = 0; call < calls; ++call) syscall(SYS_getppid);
  }
  for (int i = 0; i < 2; ++i) {
    uint64_t value = 0;
    if (read(counters[i], &value, sizeof value) != sizeof value) return 1;
    printf("%llu%c", (unsigned long long)value, i == 0 ? ' ' : '\n');
  }
  return 0;
}
