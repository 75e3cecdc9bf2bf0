// A thread of the mix: its name, its role and its CPU time account. Costs one system call per chunk
// of work. read() may be called on any thread, the other methods on the owner's thread.
//
//   mix_thread thread(0, &ring[0], stop);
//   const function_times times = thread.read();
#pragma once

#include <pthread.h>

#include <array>
#include <atomic>
#include <cstdint>
#include <string>

#include "kernels/chunk_pace.hpp"
#include "kernels/thread_account.hpp"

namespace stallscope::kernels {

// The work of a thread. The roles are assigned round-robin in this order.
enum class thread_role : std::uint8_t { arithmetic, pointers, branches, sleeper };
inline constexpr unsigned role_count = 4;

// Starts in the constructor. The destructor joins the thread, so `stop` must be set before.
class mix_thread {
 public:
  // chase_pointers starts at `ring`. `stop` ends the thread within one chunk. Both must outlive the
  // thread.
  mix_thread(unsigned index, const chain_node* ring, const std::atomic<bool>& stop);
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
  void run_chunk(mix_function function, std::uint64_t target_ns, std::uint64_t sleep_ns);

  thread_role role_;
  std::string name_;
  const chain_node* ring_;
  const std::atomic<bool>& stop_;
  std::uint64_t random_state_;
  std::array<chunk_pace, function_count> paces_;
  thread_account account_;
  pthread_t thread_{};
  clockid_t cpu_clock_{};
  bool joined_ = false;
};

}  // namespace stallscope::kernels
