// A program whose instructions are known: `known_shares ROUNDS [UNIT]` runs ROUNDS rounds (0: for
// ever) of 40 UNIT (1,000) loop instructions, half of them in half(), three tenths in
// three_tenths(), a fifth in fifth(). All have frames, and work() and main() stand above them.
#include <stdint.h>
#include <stdlib.h>

// Four instructions an iteration, whatever the compiler does.
#define SPIN(iterations)                                            \
  do {                                                              \
    uint64_t left_ = (iterations);                                  \
    __asm__ volatile("1: nop\n nop\n subs %0, %0, #1\n b.ne 1b\n"   \
                     : "+r"(left_)                                  \
                     :                                              \
                     : "cc");                                       \
  } while (0)

__attribute__((noinline)) void half(uint64_t unit) { SPIN(5 * unit); }
__attribute__((noinline)) void three_tenths(uint64_t unit) { SPIN(3 * unit); }
__attribute__((noinline)) void fifth(uint64_t unit) { SPIN(2 * unit); }

__attribute__((noinline)) void work(uint64_t unit) {
  half(unit);
  three_tenths(unit);
  fifth(unit);
}

int main(int count, char** words) {
  const uint64_t rounds = count > 1 ? strtoull(words[1], NULL, 10) : 0;
  const uint64_t unit = count > 2 ? strtoull(words[2], NULL, 10) : 1000;
  for (uint64_t round = 0; rounds == 0 || round < rounds; ++round) work(unit);
  return 0;
}
