// Waits for full rings and for whatever ends a recording: signals, the target's end, the control
// descriptor, the time. One thread; the signals must be blocked before.
#pragma once

#include <poll.h>

#include <csignal>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "perf_events/ring.hpp"

namespace stallscope::collect {

// Blocks the signals that end a recording and ignores SIGPIPE; the mask before.
sigset_t block_ending_signals();

class end_watch {
 public:
  explicit end_watch(int control_fd);

  void watch_rings(std::span<const perf_events::ring> rings);
  // The recording ends when all processes watched have ended.
  void watch_process(pid_t pid);
  void set_duration(double seconds);
  // The next wait lasts until then at most, on the monotonic clock.
  void wake_at(std::uint64_t monotonic_ns) { wake_ns_ = monotonic_ns; }
  // Whether rings end a wait as they have to say; while not, a wait lasts 20 ms at most.
  void follow_rings(bool follow) { rings_followed_ = follow; }

  // Waits until a ring is a quarter full, something ends the recording (then why), or a second has
  // passed.
  std::optional<std::string> wait();
  // Waits for "enable" on the control descriptor; why the recording ended before it came.
  std::optional<std::string> wait_for_enable();
  // Waits for the end of the watched processes, at most so long; false where time ran out or
  // another signal came.
  bool wait_for_processes(std::uint64_t limit_ns);
  // Whether a further signal asked for haste.
  bool hurried();

 private:
  std::optional<std::string> read_control();
  std::optional<std::string> read_signal();
  void poll_all(int timeout_ms);
  bool processes_ended();
  [[nodiscard]] int timeout_ms() const;

  descriptor signals_;
  int control_fd_;
  bool enabled_ = false;
  bool hurried_ = false;
  std::string control_text_;
  std::vector<descriptor> processes_;
  std::vector<pid_t> unwatched_;  // where the kernel has no pidfd
  std::vector<pollfd> rings_;
  bool rings_followed_ = true;
  std::vector<pollfd> polled_;
  std::uint64_t deadline_ns_ = 0;
  std::uint64_t wake_ns_ = 0;  // 0: none
};

}  // namespace stallscope::collect
