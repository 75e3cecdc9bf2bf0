// A program whose instructions are known, on arm64 and x86-64:
//   known_counts N       N iterations of a loop of 4 instructions (0: for ever)
//   known_counts hold K  takes K counters of CPU 0 from all others (pinned events), says "holding"
//                        and sleeps: what the NMI watchdog does elsewhere
#include <linux/perf_event.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

static void spin(uint64_t iterations) {
#if defined(__aarch64__)
  __asm__ volatile("1: nop\n nop\n subs %0, %0, #1\n b.ne 1b\n" : "+r"(iterations) : : "cc");
#else
  __asm__ volatile("1: nop\n nop\n dec %0\n jnz 1b\n" : "+r"(iterations) : : "cc");
#endif
}

static int hold(int counters) {
  for (int i = 0; i < counters; ++i) {
    struct perf_event_attr attribute;
    memset(&attribute, 0, sizeof attribute);
    attribute.size = sizeof attribute;
    attribute.type = PERF_TYPE_HARDWARE;
    attribute.config = PERF_COUNT_HW_INSTRUCTIONS;
    attribute.pinned = 1;
    if (syscall(SYS_perf_event_open, &attribute, -1, 0, -1, 0) < 0) {
      perror("perf_event_open");
      return 1;
    }
  }
  puts("holding");
  fflush(stdout);
  for (;;) pause();
}

int main(int count, char** words) {
  if (count == 3 && strcmp(words[1], "hold") == 0) return hold(atoi(words[2]));
  const uint64_t iterations = count > 1 ? strtoull(words[1], NULL, 10) : 0;
  do {
    spin(iterations == 0 ? 1000000 : iterations);
  } while (iterations == 0);
  return 0;
}
