// A program whose instructions in user code and in the kernel are known:
//   known_split ROUNDS ITERATIONS CALLS   each round has a loop of 4 x ITERATIONS instructions and CALLS system calls
// Prints the instructions in user code and in the kernel: a half of the rounds is counted for each.
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

// Returns the instructions of a part of the rounds.
static uint64_t run(int in_kernel, long rounds, uint64_t iterations, long calls) {
  const int counter = count_instructions(in_kernel);
  uint64_t value = 0;
  for (long round = 0; round < rounds; ++round) {
    spin(iterations);
    for (long call = 0; call < calls; ++call) syscall(SYS_getppid);
  }
  if (counter < 0 || read(counter, &value, sizeof value) != sizeof value) {
    perror("perf_event_open");
    exit(1);
  }
  close(counter);
  return value;
}

int main(int count, char** words) {
  if (count != 4) return 2;
  const long rounds = atol(words[1]);
  const uint64_t iterations = strtoull(words[2], NULL, 10);
  const long calls = atol(words[3]);
  // One after the other: the counted program may not take counters that its observer needs.
  const uint64_t in_user = run(0, rounds / 2, iterations, calls);
  const uint64_t in_kernel = run(1, rounds / 2, iterations, calls);
  printf("%llu %llu\n", 2ULL * in_user, 2ULL * in_kernel);
  return 0;
}
