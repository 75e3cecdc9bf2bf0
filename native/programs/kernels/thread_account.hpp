// The exact CPU time of a thread per function. The thread reports every change of function (one
// system call, under 1 us). Any thread may read, including the time of the running function. A
// reader never blocks the thread: a version counter is odd during an update, and the reader then
// repeats the read.
//
//   account.enter(mix_function::hot_arithmetic);      // on the thread
//   const function_times times = account.read(clock);  // on any thread
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
  // On the thread: attributes its time to `function` from now on. Returns the CPU time in ns since
  // the previous call, which was attributed to the previous function.
  std::uint64_t enter(mix_function function) noexcept;
  // On the thread, as its last call: later time is not attributed to any function.
  void leave() noexcept;
  // On any thread. `cpu_clock` is the CPU clock of the observed thread, from pthread_getcpuclockid.
  [[nodiscard]] function_times read(clockid_t cpu_clock) const noexcept;

 private:
  static constexpr std::uint8_t no_function = function_count;
  std::uint64_t change_to(std::uint8_t function) noexcept;

  // All accesses are sequentially consistent, which is cheap enough for some hundred changes per
  // second.
  std::atomic<std::uint64_t> version_{0};
  std::atomic<std::uint8_t> running_{no_function};
  std::atomic<std::uint64_t> since_ns_{0};
  std::array<std::atomic<std::uint64_t>, function_count> past_ns_{};
};

}  // namespace stallscope::kernels
