// Sorting, formatting, allocating and threads of a C library, in a loop without end. Once in
// OWN_ROUNDS; in the others it sorts by itself.
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static volatile uint64_t sink;

static int by_value(const void* left, const void* right) {
  return strcmp(*(char* const*)left, *(char* const*)right);
}

// Merges by recursion: the C library does not stand in these chains.
__attribute__((noinline)) static void own_sort(uint64_t* values, uint64_t* spare, size_t count) {
  if (count < 2) return;
  const size_t half = count / 2;
  own_sort(values, spare, half);
  own_sort(values + half, spare + half, count - half);
  for (size_t i = 0, left = 0, right = half; i < count; ++i) {
    const int from_left = left < half && (right == count || values[left] < values[right]);
    spare[i] = values[from_left ? left++ : right++];
  }
  for (size_t i = 0; i < count; ++i) values[i] = spare[i];
}

static void once(unsigned round) {
  char* words[40];
  for (unsigned i = 0; i < 40; ++i) {
    words[i] = malloc(48);
    snprintf(words[i], 48, "%.6g %u %s", i * 1.7 / (round + 1), i * round % 7919, "word");
  }
  qsort(words, 40, sizeof words[0], by_value);
  for (unsigned i = 0; i < 40; ++i) {
    sink += (uint64_t)strtod(words[i], NULL) + (strstr(words[i], "9 w") != NULL);
    free(words[i]);
  }
}

static void sort_by_itself(unsigned round) {
  uint64_t values[256], spare[256];
  for (unsigned i = 0; i < 256; ++i) values[i] = (i + 1) * 2654435761U % (round + 7919);
  own_sort(values, spare, 256);
  sink += values[0];
}

static void* work(void* argument) {
  for (unsigned round = (unsigned)(uintptr_t)argument;; ++round) {
    if (round % OWN_ROUNDS == 0) once(round);
    sort_by_itself(round);
  }
  return NULL;
}

int main(void) {
  pthread_t other;
  pthread_create(&other, NULL, work, (void*)(uintptr_t)7);
  work(NULL);
}
