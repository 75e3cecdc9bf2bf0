// Which function of a thread used how much of the thread's CPU time, exact at any moment.
// The thread itself says when it goes from one function to another (one system call, under 1 us);
// any other thread may read, the running function's time so far included. A reader never stops the
// thread: a version counter, odd while the thread writes, tells it to read again.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <ctime>

#include "kernels/work.hpp"

namespace stallscope::kernels {

using function_times = std::array<std::uint64_t, function_count>;  // ns of CPU time

class thread_account {
 public:
  // By the thread itself: from now on its time belongs to `function`. Returns the CPU time in ns
  // since the last call, which went to the function before.
  std::uint64_t enter(mix_function function) noexcept;
  // By the thread itself, as the last thing: what follows belongs to no function.
  void leave() noexcept;
  // By any thread; `cpu_clock` is the observed thread's, as pthread_getcpuclockid gives it.
  [[nodiscard]] function_times read(clockid_t cpu_clock) const noexcept;

 private:
  static constexpr std::uint8_t no_function = function_count;
  std::uint64_t change_to(std::uint8_t function) noexcept;

  // All sequentially consistent: some hundred changes a second do not call for less.
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uint8_t> running_{no_function};
  std::atomic<std::uint64_t> since_ns_{0};
  std::array<std::atomic<std::uint64_t>, function_count> past_ns_{};
};

}  // namespace stallscope::kernels
