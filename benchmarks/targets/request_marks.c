// Prints the CPU time of a pair of marks in nanoseconds, and whether the marks were recorded.
//
//   request_marks PAIRS WAIT  // WAIT: 1 waits up to 10 s until a recorder listens
#include "stallscope_request.h"

#include <stdio.h>
#include <stdlib.h>
#include <time.h>

static double cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return (double)now.tv_sec * 1e9 + (double)now.tv_nsec;
}

int main(int count, char** words) {
  if (count != 3) return 2;
  const long pairs = atol(words[1]);
  const struct timespec pause = {0, 10000000};
  stallscope_request_begin(1, "pair");
  stallscope_request_end(1);
  for (int i = 0; i < 1000 && words[2][0] == '1' && !stallscope_requests_recorded(); ++i)
    nanosleep(&pause, NULL);
  const double begin = cpu_ns();
  for (long i = 0; i < pairs; ++i) {
    stallscope_request_begin((uint64_t)i, "pair");
    __asm__ volatile("" ::: "memory");
    stallscope_request_end((uint64_t)i);
    __asm__ volatile("" ::: "memory");
  }
  printf("%.3f %d\n", (cpu_ns() - begin) / (double)pairs, stallscope_requests_recorded());
  return 0;
}
