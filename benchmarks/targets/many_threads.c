/* many_threads N: N threads that compute and sleep in turn, together half of a CPU for any N. */
#include <pthread.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>

enum { WORK_NS = 125000, STACK_BYTES = 65536 };

static long period_ns;

static int64_t cpu_ns(void) {
  struct timespec now;
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return now.tv_sec * INT64_C(1000000000) + now.tv_nsec;
}

static void *work(void *unused) {
  const struct timespec pause = {period_ns / 1000000000, period_ns % 1000000000};
  volatile uint64_t sum = 0;
  for (;;) {
    const int64_t end = cpu_ns() + WORK_NS;
    while (cpu_ns() < end)
      for (int i = 0; i < 1000; i++) sum += (uint64_t)i;
    nanosleep(&pause, NULL);
  }
  return unused;
}

int main(int count, char **words) {
  const long threads = count > 1 ? atol(words[1]) : 1;
  period_ns = 2 * WORK_NS * threads - WORK_NS;
  pthread_attr_t attributes;
  pthread_attr_init(&attributes);
  pthread_attr_setstacksize(&attributes, STACK_BYTES);
  for (long i = 1; i < threads; i++) {
    pthread_t thread;
    if (pthread_create(&thread, &attributes, work, NULL)) return 1;
  }
  puts("ready");
  fflush(stdout);
  return work(NULL) != NULL;
}
