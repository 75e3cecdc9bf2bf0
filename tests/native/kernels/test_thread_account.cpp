#include "kernels/thread_account.hpp"

#include <doctest/doctest.h>
#include <pthread.h>

#include <atomic>
#include <numeric>
#include <thread>

#include "base/clock.hpp"

using namespace stallscope::kernels;

namespace {

std::uint64_t sum(const function_times& times) {
  return std::accumulate(times.begin(), times.end(), std::uint64_t{0});
}

// Uses 50 us of CPU time.
void use_cpu() {
  const std::uint64_t start_ns = stallscope::thread_cpu_ns();
  while (stallscope::thread_cpu_ns() - start_ns < 50'000) {
  }
}

}  // namespace

TEST_CASE("read() attributes time to the entered function, including the running function") {
  thread_account account;
  use_cpu();
  CHECK(sum(account.read(CLOCK_THREAD_CPUTIME_ID)) == 0);
  CHECK(account.enter(mix_function::hot_arithmetic) == 0);
  use_cpu();
  const std::uint64_t first_ns = account.enter(mix_function::chase_pointers);
  CHECK(first_ns >= 50'000);
  use_cpu();
  const function_times running = account.read(CLOCK_THREAD_CPUTIME_ID);
  CHECK(running[0] == first_ns);
  CHECK(running[1] >= 50'000);
  account.leave();
  const function_times left = account.read(CLOCK_THREAD_CPUTIME_ID);
  use_cpu();
  CHECK(account.read(CLOCK_THREAD_CPUTIME_ID) == left);
  CHECK(left[1] >= running[1]);
}

TEST_CASE("another thread can read the complete CPU time of a thread at any time") {
  thread_account account;
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> before_enter_ns{0};
  std::atomic<std::uint64_t> after_enter_ns{0};
  std::thread worker([&] {
    before_enter_ns = stallscope::thread_cpu_ns();
    account.enter(mix_function::hot_arithmetic);
    after_enter_ns = stallscope::thread_cpu_ns();
    while (!stop) {
      account.enter(mix_function::mispredict_branches);
      use_cpu();
      account.enter(mix_function::hot_arithmetic);
    }
    account.leave();
  });
  while (after_enter_ns == 0) std::this_thread::yield();
  clockid_t clock{};
  CHECK(pthread_getcpuclockid(worker.native_handle(), &clock) == 0);
  function_times last{};
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t earliest_ns = stallscope::clock_ns(clock);
    const function_times times = account.read(clock);
    const std::uint64_t latest_ns = stallscope::clock_ns(clock);
    CHECK(sum(times) >= earliest_ns - after_enter_ns);
    CHECK(sum(times) <= latest_ns - before_enter_ns);
    for (std::size_t f = 0; f < function_count; ++f) CHECK(times[f] >= last[f]);
    last = times;
  }
  stop = true;
  worker.join();
}
