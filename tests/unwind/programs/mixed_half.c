// One half of chains that change between code with frame pointers and code without: the test
// compiles it twice, as NAME.
#include <stdint.h>

typedef uint64_t half(uint64_t depth, void* other);
half NAME;

static volatile uint64_t sink;

uint64_t NAME(uint64_t depth, void* other) {
  uint64_t kept[8] = {depth, depth + 1};
  for (int i = 2; i < 8; ++i) kept[i] = kept[i - 1] * 3 + kept[i - 2];
  sink += kept[depth % 8];
  const uint64_t got = depth == 0 ? kept[7] : ((half*)other)(depth - 1, (void*)NAME);
  return got + kept[3];
}
