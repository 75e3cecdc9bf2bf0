// The base of kernels that wait in a known way: threads with names and roles that measure their own
// time by state. A derived class has the work of one iteration of a thread, and the runner's
// threads call run().
//
//   class example : public waiting_kernel {
//     ...
//     bool iterate(unsigned thread, const std::atomic<bool>& stop) override {
//       compute_for(2'000'000);
//       pause_for(1'000'000, times(thread));
//       return true;
//     }
//   };
#pragma once

#include <cstdint>
#include <mutex>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/waiting/thread_times.hpp"

namespace stallscope::kernels {

inline constexpr std::uint64_t us = 1'000;
inline constexpr std::uint64_t ms = 1'000'000;

class waiting_kernel : public kernel_base {
 public:
  std::uint64_t run(unsigned thread, std::uint64_t iterations, const std::atomic<bool>& stop) final;
  // Returns the number of completed iterations of all threads.
  [[nodiscard]] std::uint64_t result() const override;
  [[nodiscard]] std::span<const thread_times> states() const override { return times_; }

 protected:
  explicit waiting_kernel(unsigned threads) : times_(threads), iterations_(threads) {}

  // Runs one iteration. Returns false if it could not be completed because the run ended.
  virtual bool iterate(unsigned thread, const std::atomic<bool>& stop) = 0;
  // Returns the name of the thread, at most 15 characters.
  [[nodiscard]] virtual const char* name_of(unsigned thread) const = 0;

  [[nodiscard]] thread_times& times(unsigned thread) noexcept { return times_[thread]; }
  [[nodiscard]] unsigned threads() const noexcept { return static_cast<unsigned>(times_.size()); }

 private:
  std::vector<thread_times> times_;
  std::vector<thread_word> iterations_;
};

// Computes until the calling thread has used this CPU time, in steps of a few microseconds.
void compute_for(std::uint64_t cpu_ns) noexcept;

// Sleeps for this time; a signal ends the sleep early.
void pause_for(std::uint64_t duration_ns, thread_times& times) noexcept;

// Locks the mutex and counts the time as waiting for a lock.
[[nodiscard]] std::unique_lock<std::mutex> lock_timed(std::mutex& mutex, thread_times& times);

}  // namespace stallscope::kernels
