// The lock statistics of one thread: the number of acquisitions that had to wait, the time spent
// waiting and holding the lock, and the work done while holding it. Each thread has its own object
// in separate cache lines, and only that thread writes it. A critical section costs three clock
// reads, 0.1 to 0.2 us.
//
//   {
//     const critical_section section(mutex_, account);
//     account.steps += search(key);
//   }
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "base/clock.hpp"
#include "kernels/kernel.hpp"

namespace stallscope::kernels {

struct alignas(128) lock_account {
  std::uint64_t acquisitions = 0;
  std::uint64_t waits = 0;  // acquisitions that found the lock taken
  std::uint64_t wait_ns = 0;
  std::uint64_t held_ns = 0;
  std::uint64_t steps = 0;  // of the work under the lock, such as entries visited

  void add(const lock_account& other) noexcept {
    acquisitions += other.acquisitions;
    waits += other.waits;
    wait_ns += other.wait_ns;
    held_ns += other.held_ns;
    steps += other.steps;
  }
};

// Returns the sums of all threads; `steps_name` is what a step is.
inline std::vector<kernel_parameter> account_of(const std::vector<lock_account>& threads,
                                                const char* steps_name) {
  lock_account sum;
  for (const lock_account& thread : threads) sum.add(thread);
  return {{"acquisitions", sum.acquisitions},
          {"waits", sum.waits},
          {"wait_ns", sum.wait_ns},
          {"held_ns", sum.held_ns},
          {steps_name, sum.steps}};
}

// Holds a mutex and measures it.
class critical_section {
 public:
  critical_section(std::mutex& mutex, lock_account& account) : account_(account), mutex_(mutex) {
    if (!mutex_.try_lock()) {
      const std::uint64_t begin_ns = monotonic_ns();
      mutex_.lock();
      ++account_.waits;
      account_.wait_ns += monotonic_ns() - begin_ns;
    }
    ++account_.acquisitions;
    acquired_ns_ = monotonic_ns();
  }
  ~critical_section() {
    account_.held_ns += held_ns();
    mutex_.unlock();
  }
  critical_section(const critical_section&) = delete;
  critical_section& operator=(const critical_section&) = delete;
  critical_section(critical_section&&) = delete;
  critical_section& operator=(critical_section&&) = delete;

  [[nodiscard]] std::uint64_t held_ns() const noexcept { return monotonic_ns() - acquired_ns_; }

 private:
  lock_account& account_;
  std::mutex& mutex_;
  std::uint64_t acquired_ns_;
};

}  // namespace stallscope::kernels
