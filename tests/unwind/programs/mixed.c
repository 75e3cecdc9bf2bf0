// Calls to and fro between two libraries, one with frame pointers and one without, and reads the
// clock (the kernel's vdso) between, in a loop without end.
#include <stdint.h>
#include <time.h>

typedef uint64_t half(uint64_t depth, void* other);
half with_frame_pointer, without_frame_pointer;

static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t read_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (uint64_t)now.tv_nsec + (uint64_t)time(NULL);
}

int main(void) {
  for (uint64_t round = 0;; ++round) {
    sink += with_frame_pointer(round % 20, (void*)without_frame_pointer);
    sink += without_frame_pointer(round % 20, (void*)with_frame_pointer);
    for (int i = 0; i < 20; ++i) sink += read_clock();
  }
}
