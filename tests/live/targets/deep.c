// Half of its time in an inlined function below main, half below 16 KiB of stack.
#include <string.h>
#include <time.h>

static volatile unsigned sink;

static inline __attribute__((always_inline)) void inlined_work(void) {
  for (unsigned i = 0; i < 2000000; ++i) sink += i;
}

__attribute__((noinline)) static int deep(int levels) {
  char room[1024];
  memset(room, levels, sizeof room);
  if (levels == 0)
    inlined_work();
  else
    deep(levels - 1);
  return room[sink % sizeof room];
}

int main(void) {
  struct timespec now, end;
  clock_gettime(CLOCK_MONOTONIC, &end);
  end.tv_sec += 1;
  do {
    inlined_work();
    sink += (unsigned)deep(16);
    clock_gettime(CLOCK_MONOTONIC, &now);
  } while (now.tv_sec < end.tv_sec || now.tv_nsec < end.tv_nsec);
}
