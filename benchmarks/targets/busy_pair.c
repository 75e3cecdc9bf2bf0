// Two busy threads whose work is counted in a file mapped shared: busy_pair FILE
// The file holds two 64-bit counters on cache lines of their own: chunks of work done.
#include <fcntl.h>
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <sys/mman.h>
#include <unistd.h>

enum { line_words = 8, steps_per_chunk = 20000 };

// One chunk of dependent arithmetic under a few frames, as real code has them.
__attribute__((noinline)) static uint64_t step(uint64_t state, int depth) {
  if (depth > 0) return step(state, depth - 1) + 1;
  for (int i = 0; i < steps_per_chunk; ++i) state = state * 6364136223846793005u + 1442695040888963407u;
  return state;
}

static void* work(void* slot) {
  volatile uint64_t* count = slot;
  uint64_t state = (uintptr_t)slot;
  for (;;) {
    state = step(state, 8);
    *count += 1;
    __asm__ volatile("" ::"r"(state));
  }
  return 0;
}

int main(int argc, char** argv) {
  if (argc != 2) return 2;
  int file = open(argv[1], O_RDWR);
  if (file < 0 || ftruncate(file, 4096) != 0) return 1;
  uint64_t* counters = mmap(0, 4096, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0);
  if (counters == MAP_FAILED) return 1;
  pthread_t second;
  if (pthread_create(&second, 0, work, counters + line_words) != 0) return 1;
  puts("ready");
  fflush(stdout);
  work(counters);
}
