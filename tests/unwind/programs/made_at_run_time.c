// Runs code that it made itself, as a compiler at run time does: functions with frame pointers and
// without call frame information, that call a C function, which calls the next of them.
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>

typedef uint64_t made(uint64_t depth);

enum { FUNCTIONS = 8, FUNCTION_BYTES = 64 };

static unsigned char* code;
static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t called_back(uint64_t depth) {
  volatile uint64_t kept[4] = {depth, 1, 2, 3};
  for (int i = 0; i < 10; ++i) kept[i % 4] += kept[(i + 1) % 4] * 7;
  sink += kept[depth % 4];
  if (depth == 0) return kept[2];
  made* const next = (made*)(code + depth % FUNCTIONS * FUNCTION_BYTES);
  return next(depth - 1) + kept[1];
}

static void make(unsigned char* at) {
  const unsigned char body[] = {
      0x55,                                  // push %rbp
      0x48, 0x89, 0xe5,                      // mov %rsp,%rbp
      0x48, 0x83, 0xec, 0x20,                // sub $32,%rsp
      0xb9, 0x14, 0x00, 0x00, 0x00,          // mov $20,%ecx
      0xff, 0xc9,                            // 1: dec %ecx
      0x75, 0xfc,                            // jne 1b
      0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0,    // movabs $called_back,%rax
      0xff, 0xd0,                            // call *%rax
      0x48, 0xff, 0xc0,                      // inc %rax
      0xc9,                                  // leave
      0xc3,                                  // ret
  };
  uint64_t (*const target)(uint64_t) = called_back;
  memcpy(at, body, sizeof body);
  memcpy(at + 19, &target, sizeof target);
}

int main(void) {
  code = mmap(NULL, FUNCTIONS * FUNCTION_BYTES, PROT_READ | PROT_WRITE | PROT_EXEC,
              MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (code == MAP_FAILED) return 1;
  for (int i = 0; i < FUNCTIONS; ++i) make(code + i * FUNCTION_BYTES);
  for (uint64_t round = 0;; ++round) sink += called_back(round % 12);
}
