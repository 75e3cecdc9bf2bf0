// A program whose page faults by function are known: `faults ROUNDS` touches 3,000 pages in many()
// and 1,000 in few() a round, and works in none() between them, which touches none. Its counts
// stand on standard output.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/mman.h>

enum { page_bytes = 4096, many_pages = 3000, few_pages = 1000 };

static volatile uint64_t sink;

// Each function has a separate loop: no function ends with a call of another.
#define TOUCH(from, pages) \
  for (size_t page_ = 0; page_ < (pages); ++page_) (from)[page_ * page_bytes] = 1

__attribute__((noinline)) void many(volatile char* from) { TOUCH(from, many_pages); }
__attribute__((noinline)) void few(volatile char* from) { TOUCH(from, few_pages); }
__attribute__((noinline)) void none(void) {
  for (uint64_t i = 0; i < 4000000; ++i) sink += i;
}

int main(int count, char** words) {
  const int rounds = count > 1 ? atoi(words[1]) : 1;
  const size_t bytes = (size_t)page_bytes * (many_pages + few_pages);
  for (int round = 0; round < rounds; ++round) {
    char* pages = mmap(NULL, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    if (pages == MAP_FAILED) return 1;
    madvise(pages, bytes, MADV_NOHUGEPAGE);
    none();
    many(pages);
    none();
    few(pages + (size_t)page_bytes * many_pages);
    munmap(pages, bytes);
  }
  printf("%d %d\n", rounds * many_pages, rounds * few_pages);
  return 0;
}
