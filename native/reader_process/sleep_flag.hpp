// A futex in memory that a helper process and the collector share: the helper sleeps until it is
// woken. wake() costs no system call while the helper is awake.
//
//   flag.wait(100ms, [&] { return queue.empty(); });  // helper
//   queue.put(value);  flag.wake();                   // collector
#pragma once

#include <atomic>
#include <chrono>
#include <cstdint>

namespace stallscope::reader_process {

class sleep_flag {
 public:
  void wake() noexcept {
    if (asleep_.exchange(0) != 0) wake_futex();
  }
  // Sleeps at most for the limit if `idle()` is still true.
  template <class Idle>
  void wait(std::chrono::milliseconds limit, const Idle& idle) noexcept {
    asleep_.store(1);
    if (idle()) wait_on_futex(limit);
    asleep_.store(0);
  }

 private:
  void wake_futex() noexcept;
  void wait_on_futex(std::chrono::milliseconds limit) noexcept;

  std::atomic<std::uint32_t> asleep_ = 0;  // 1 while the helper sleeps
};

}  // namespace stallscope::reader_process
