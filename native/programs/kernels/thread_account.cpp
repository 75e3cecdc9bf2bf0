#include "kernels/thread_account.hpp"

#include <thread>

#include "base/clock.hpp"

namespace stallscope::kernels {

std::uint64_t thread_account::enter(mix_function function) noexcept {
  return change_to(static_cast<std::uint8_t>(function));
}

void thread_account::leave() noexcept { change_to(no_function); }

std::uint64_t thread_account::change_to(std::uint8_t function) noexcept {
  const std::uint8_t previous = running_;
  ++version_;
  const std::uint64_t now_ns = thread_cpu_ns();
  const std::uint64_t spent_ns = previous == no_function ? 0 : now_ns - since_ns_;
  if (previous != no_function) past_ns_[previous] += spent_ns;
  since_ns_ = now_ns;
  running_ = function;
  ++version_;
  return spent_ns;
}

function_times thread_account::read(clockid_t cpu_clock) const noexcept {
  for (;;) {
    const std::uint64_t version = version_;
    if (version % 2 != 0) {
      std::this_thread::yield();
      continue;
    }
    function_times times{};
    for (std::size_t i = 0; i < function_count; ++i) times[i] = past_ns_[i];
    const std::uint8_t running = running_;
    if (running != no_function) times[running] += clock_ns(cpu_clock) - since_ns_;
    if (version_ == version) return times;
  }
}

}  // namespace stallscope::kernels
