// One thread of the mix: its name, its plan, and its account.
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "kernels/chunk_pace.hpp"
#include "kernels/thread_account.hpp"

namespace stallscope::kernels {

// What a thread does; threads take them in this order, again and again.
enum class thread_role : std::uint8_t { arithmetic, pointers, branches, sleeper };
inline constexpr unsigned role_count = 4;

// Starts with the constructor; joined by the destructor, which therefore needs `stop` set before.
class mix_thread {
 public:
  // `ring` is where chase_pointers starts and `stop` ends the thread within one chunk; both must
  // outlive it.
  mix_thread(unsigned index, const ChainNode* ring, const std::atomic<bool>& stop);
  ~mix_thread() { join(); }
  mix_thread(const mix_thread&) = delete;
  mix_thread& operator=(const mix_thread&) = delete;
  mix_thread(mix_thread&&) = delete;
  mix_thread& operator=(mix_thread&&) = delete;

  void join() noexcept;
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] function_times read() const noexcept { return account_.read(cpu_clock_); }

 private:
  static void* enter_thread(void* self);
  void work();
  void run_chunk(mix_function function, std::uint64_t wanted_ns, std::uint64_t sleep_ns);

  thread_role role_;
  std::string name_;
  const ChainNode* ring_;
  const std::atomic<bool>& stop_;
  std::uint64_t random_state_;
  std::array<chunk_pace, function_count> paces_;
  thread_account account_;
  pthread_t thread_{};
  clockid_t cpu_clock_{};
  bool joined_ = false;
};

}  // namespace stallscope::kernels
