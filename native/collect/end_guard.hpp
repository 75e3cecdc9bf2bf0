// Ends the collector within a bounded time after a signal or the end of its parent, even if the
// main thread or a helper thread is busy or blocked. A thread receives the signals, which all other
// threads block, sets the stop flag and wakes the main thread. If the process still runs at the
// deadline, the thread writes a message and ends the process; the files stay as they are. A second
// signal shortens the deadline. Costs a thread that sleeps.
//
//   block_ending_signals();
//   end_guard guard{control_fd, {progress_fd, "closing took too long\n"}};
//   poll(guard.fd());
//   if (guard.requests() != 0) close();
#pragma once

#include <atomic>
#include <chrono>
#include <csignal>
#include <string>
#include <thread>

#include "base/descriptor.hpp"
#include "base/eventfd.hpp"

namespace stallscope::collect {

// Blocks the signals that end a recording and ignores SIGPIPE. Returns the previous mask. Call
// before the first thread starts.
sigset_t block_ending_signals();

class end_guard {
 public:
  // What the guard writes before it ends the process.
  struct message {
    int fd = -1;
    std::string text;
  };
  struct time_limits {
    std::chrono::milliseconds first{10'000};   // after the first signal
    std::chrono::milliseconds further{2'000};  // after a further signal
  };

  // The control descriptor (or -1) counts as a signal when its other end is closed. Throws
  // std::system_error.
  end_guard(int control_fd, message at_deadline, time_limits limits);
  end_guard(int control_fd, message at_deadline)
      : end_guard{control_fd, std::move(at_deadline), time_limits{}} {}
  end_guard(const end_guard&) = delete;
  end_guard& operator=(const end_guard&) = delete;
  end_guard(end_guard&&) = delete;
  end_guard& operator=(end_guard&&) = delete;
  ~end_guard();

  // Becomes readable with each signal, until clear().
  [[nodiscard]] int fd() const noexcept { return received_.fd(); }
  void clear() const noexcept { received_.clear(); }
  // The number of signals so far.
  [[nodiscard]] unsigned requests() const noexcept { return requests_; }
  // Postpones the deadline for a wait that is limited itself.
  void extend(std::chrono::nanoseconds wait) noexcept { extension_ns_ += wait.count(); }

 private:
  void watch(int control_fd) noexcept;
  void read_signals() noexcept;
  void set_deadline(std::chrono::milliseconds limit) noexcept;
  [[nodiscard]] int timeout_ms() const noexcept;
  [[noreturn]] void end_process() const noexcept;

  message at_deadline_;
  time_limits limits_;
  descriptor signals_;
  wake_event received_;
  wake_event finished_;
  std::atomic<unsigned> requests_ = 0;
  std::atomic<bool> finishing_ = false;
  std::atomic<std::int64_t> extension_ns_ = 0;
  std::int64_t deadline_ns_ = 0;  // 0: none; the guard's thread alone uses it
  std::thread thread_;
};

}  // namespace stallscope::collect
