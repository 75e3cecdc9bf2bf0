// Signal handlers in a loop without end: on the interrupted stack, on an alternate one, nested, and
// in threads, raised by a timer (at any instruction) and by the program itself.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/time.h>

static volatile uint64_t sink;

__attribute__((noinline)) static uint64_t mix(uint64_t value, int rounds) {
  for (int i = 0; i < rounds; ++i)
    value = (value ^ (value >> 29)) * 0xbf58476d1ce4e5b9U + (uint64_t)i;
  return value;
}

__attribute__((noinline)) static int by_low_bits(const void* left, const void* right) {
  const uint64_t a = *(const uint64_t*)left, b = *(const uint64_t*)right;
  return (a > b) - (a < b);
}

__attribute__((noinline)) static void sort_some(uint64_t seed) {
  uint64_t values[64];
  char text[64];
  for (int i = 0; i < 64; ++i) values[i] = mix(seed + (uint64_t)i, 1);
  qsort(values, 64, sizeof values[0], by_low_bits);
  sink += values[0] + (uint64_t)snprintf(text, sizeof text, "%g", (double)values[1] / 3);
}

static void on_timer(int number, siginfo_t* information, void* context) {
  (void)information;
  (void)context;
  sort_some(sink + (uint64_t)number);
}

// Within this handler another signal comes.
static void on_own_signal(int number) {
  char text[32];
  sink += (uint64_t)snprintf(text, sizeof text, "%d %lx", number, (unsigned long)sink);
  raise(SIGUSR2);
  sink += mix(strtoull(text, NULL, 10), 5);
}

static void handle(int number, void (*plain)(int), void (*with_information)(int, siginfo_t*, void*),
                   int flags) {
  struct sigaction action;
  memset(&action, 0, sizeof action);
  action.sa_flags = flags | SA_RESTART;
  if (with_information != NULL) {
    action.sa_flags |= SA_SIGINFO;
    action.sa_sigaction = with_information;
  } else {
    action.sa_handler = plain;
  }
  sigaction(number, &action, NULL);
}

static void use_alternate_stack(void) {
  const stack_t stack = {.ss_sp = malloc(1 << 16), .ss_size = 1 << 16};
  sigaltstack(&stack, NULL);
}

static void* work(void* alternate) {
  if (alternate != NULL) use_alternate_stack();
  for (uint64_t round = 0;; ++round) {
    sort_some(round);
    if (round % 256 == 0) raise(SIGUSR1);
  }
  return NULL;
}

int main(void) {
  handle(SIGALRM, NULL, on_timer, SA_ONSTACK);
  handle(SIGUSR1, on_own_signal, NULL, SA_ONSTACK);
  handle(SIGUSR2, NULL, on_timer, 0);
  const struct itimerval often = {{0, 5000}, {0, 5000}};
  setitimer(ITIMER_REAL, &often, NULL);
  static int yes = 1;
  pthread_t with_alternate;
  pthread_create(&with_alternate, NULL, work, &yes);
  work(NULL);
}
