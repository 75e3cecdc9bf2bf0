// A program whose call chains are known, to be compiled without frame pointers: all its time passes
// in spin(), called
//   directly          work < main
//   with a frame that is found through a saved register (a local of variable size)
//   by a signal's handler, which interrupted raised()
//   in a thread.
// `known_chains ROUNDS` says whether the CPU signs return addresses, and runs.
#include <alloca.h>
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/auxv.h>
#include <sys/syscall.h>
#include <unistd.h>

#define ASIDE __attribute__((noinline))

static volatile uint64_t sink;

// A leaf: its return address stays in the link register.
ASIDE void spin(uint64_t iterations) {
  __asm__ volatile("1: nop\n nop\n subs %0, %0, #1\n b.ne 1b\n" : "+r"(iterations) : : "cc");
}

ASIDE uint64_t direct(uint64_t unit) {
  spin(3 * unit);
  return ++sink;
}

ASIDE uint64_t variable_local(uint64_t unit) {
  char* bytes = alloca(unit % 512 + 64);
  memset(bytes, 1, unit % 512 + 64);
  spin(2 * unit);
  return sink += (uint64_t)bytes[unit % 64];
}

ASIDE void handled(uint64_t unit) {
  spin(2 * unit);
  ++sink;
}

static uint64_t handlers_unit;

static void on_signal(int number) {
  handled(handlers_unit + (uint64_t)number / 64);
  ++sink;
}

// The signal comes at the instruction behind the call of the kernel.
ASIDE uint64_t raised(long process, long thread) {
  register long result __asm__("x0") = process;
  register long second __asm__("x1") = thread;
  register long third __asm__("x2") = SIGUSR1;
  register long call __asm__("x8") = SYS_tgkill;
  __asm__ volatile("svc #0" : "+r"(result) : "r"(second), "r"(third), "r"(call) : "memory");
  return sink += (uint64_t)result;
}

ASIDE uint64_t work(uint64_t unit) {
  const uint64_t got = direct(unit) + variable_local(unit);
  return got + raised(getpid(), syscall(SYS_gettid));
}

ASIDE uint64_t threads_work(uint64_t unit) {
  spin(3 * unit);
  return ++sink;
}

static void* in_thread(void* rounds) {
  for (uint64_t round = 0; round < (uintptr_t)rounds; ++round) sink += threads_work(1000);
  return NULL;
}

int main(int count, char** words) {
  const uint64_t rounds = count > 1 ? strtoull(words[1], NULL, 10) : 1;
  puts((getauxval(AT_HWCAP) & HWCAP_PACA) != 0 ? "signed" : "plain");
  fflush(stdout);
  handlers_unit = 1000;
  signal(SIGUSR1, on_signal);
  pthread_t thread;
  pthread_create(&thread, NULL, in_thread, (void*)(uintptr_t)rounds);
  for (uint64_t round = 0; round < rounds; ++round) sink += work(1000);
  pthread_join(thread, NULL);
  return 0;
}
