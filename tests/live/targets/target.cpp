// A target whose truth is known: every thread or child tells its own CPU time when it ends.
//   target busy N          N threads compute until standard input ends
//   target light N         N threads compute for a fifth of the time until standard input ends
//   target sleep N         N threads sleep, two more compute for a fifth of the time, until
//   standard
//                          input ends
//   target churn LIFE_MS   makes threads, two at a time, that compute for LIFE_MS of CPU time each,
//   until
//                          standard input ends
//   target chain LIFE_MS   like churn, but by threads that themselves were made
//   target fork N LIFE_MS  forks N children one after another, after a line on standard input
//   target spin LIFE_MS    computes for LIFE_MS of CPU time and ends
// Lines on standard output: "ready", then "TID BIRTH_NS CPU_NS" for each that ended.
#include <poll.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <string_view>
#include <thread>
#include <vector>

namespace {

std::atomic<bool> ended{false};

std::uint64_t now(clockid_t clock) {
  timespec time{};
  clock_gettime(clock, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

// Not in the anonymous namespace: the symbol is looked for in stacks.
extern "C" __attribute__((noinline)) std::uint64_t target_hot(std::uint64_t x) {
  for (int i = 0; i < 20'000; ++i) x = x * 6364136223846793005U + 1442695040888963407U;
  return x;
}

namespace {

void tell(std::uint64_t birth_ns) {
  char line[96];
  const int size = std::snprintf(line, sizeof line, "%ld %llu %llu\n", ::syscall(SYS_gettid),
                                 static_cast<unsigned long long>(birth_ns),
                                 static_cast<unsigned long long>(now(CLOCK_THREAD_CPUTIME_ID)));
  [[maybe_unused]] const auto wrote = ::write(STDOUT_FILENO, line, static_cast<std::size_t>(size));
}

void compute_until_end() {
  const auto birth = now(CLOCK_MONOTONIC);
  std::uint64_t x = 1;
  while (!ended) x = target_hot(x);
  if (x != 0) tell(birth);
}

void compute_lightly_until_end() {
  const auto birth = now(CLOCK_MONOTONIC);
  std::uint64_t x = 1;
  while (!ended) {
    const auto until = now(CLOCK_THREAD_CPUTIME_ID) + 5'000'000U;
    while (now(CLOCK_THREAD_CPUTIME_ID) < until) x = target_hot(x);
    ::usleep(20'000);
  }
  if (x != 0) tell(birth);
}

void compute_for(std::uint64_t cpu_ns) {
  const auto birth = now(CLOCK_MONOTONIC);
  std::uint64_t x = 1;
  while (now(CLOCK_THREAD_CPUTIME_ID) < cpu_ns) x = target_hot(x);
  if (x != 0) tell(birth);
}

void wait_for_input() {
  char byte = 0;
  while (::read(STDIN_FILENO, &byte, 1) > 0) {
  }
  ended = true;
}

void ready() { [[maybe_unused]] const auto wrote = ::write(STDOUT_FILENO, "ready\n", 6); }

void run_threads(int count, int sleepers, void (*compute)()) {
  std::vector<std::jthread> threads;
  for (int i = 0; i < sleepers; ++i) {
    threads.emplace_back([] { ended.wait(false); });
  }
  for (int i = 0; i < count; ++i) threads.emplace_back(compute);
  ready();
  wait_for_input();
  ended.notify_all();
}

void churn(std::uint64_t life_ns) {
  std::jthread input{wait_for_input};
  ready();
  while (!ended) {
    std::jthread computing{compute_for, life_ns};
    std::jthread other{compute_for, life_ns};
  }
}

std::atomic<int> links{0};

void chain(std::uint64_t life_ns) {
  ready();
  std::jthread input{wait_for_input};
  while (!ended) {
    ++links;
    std::thread{[life_ns] {
      std::jthread successor{compute_for, life_ns};
      compute_for(life_ns);
      --links;
    }}.detach();
    while (links > 1) ::usleep(100);
  }
  while (links > 0) ::usleep(100);
}

void fork_children(int count, std::uint64_t life_ns) {
  ready();
  char byte = 0;
  [[maybe_unused]] const auto got = ::read(STDIN_FILENO, &byte, 1);
  for (int i = 0; i < count; ++i) {
    const pid_t child = ::fork();
    if (child == 0) {
      compute_for(life_ns);
      ::_exit(0);
    }
    ::waitpid(child, nullptr, 0);
  }
}

}  // namespace

int main(int argc, char** argv) {
  const std::string_view mode = argc > 1 ? argv[1] : "";
  const int first = argc > 2 ? std::atoi(argv[2]) : 0;
  const auto ms = [](int value) { return static_cast<std::uint64_t>(value) * 1'000'000U; };
  if (mode == "busy") run_threads(first, 0, compute_until_end);
  if (mode == "light") run_threads(first, 0, compute_lightly_until_end);
  if (mode == "sleep") run_threads(2, first, compute_lightly_until_end);
  if (mode == "churn") churn(ms(first));
  if (mode == "chain") chain(ms(first));
  if (mode == "fork") fork_children(first, ms(argc > 3 ? std::atoi(argv[3]) : 0));
  if (mode == "spin") compute_for(ms(first));
  return mode.empty() ? 2 : 0;
}
