// Walks the functions of many_symbols.py for ever, in two threads, at places drawn at random.
#include <pthread.h>
#include <stdint.h>

extern void (*functions[])(int depth, void** next);

static void* walk(void* seed) {
  uint64_t state = (uintptr_t)seed * 2654435761u + 1;
  for (;;) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t place = (state >> 33) % (COUNT - 64);
    functions[place](12, (void**)&functions[place]);
  }
  return 0;
}

int main(void) {
  pthread_t second;
  if (pthread_create(&second, 0, walk, (void*)7) != 0) return 1;
  walk((void*)3);
}
