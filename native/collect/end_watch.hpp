// Waits for ring data and for the events that end a recording: a signal, the target's end, a
// command on the control descriptor, the end of the duration. Costs one poll per wait. One thread.
// The signals must be blocked first; an end_guard receives them.
//
//   const auto mask = block_ending_signals();
//   end_watch watch{control_fd, report};
//   watch.watch_process(pid);
//   while (!watch.wait()) drain.pass();
#pragma once

#include <poll.h>

#include <chrono>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "collect/end_guard.hpp"
#include "collect/flight_facts.hpp"
#include "collect/reporter.hpp"
#include "perf_events/ring.hpp"

namespace stallscope::collect {

class end_watch {
 public:
  // The report's descriptor gets a message if the collector does not end in time.
  end_watch(int control_fd, const reporter& report);

  void watch_rings(std::span<const perf_events::ring> rings);
  // Ends a wait when the descriptor is readable, until the recording ends.
  void watch_descriptor(int fd);
  // The recording ends when all watched processes have ended.
  void watch_process(pid_t pid);
  void set_duration(double seconds);
  // Limits the next wait to a time on the monotonic clock; 0: no limit.
  void wake_at(std::uint64_t monotonic_ns) { wake_ns_ = monotonic_ns; }
  // Whether a ring ends a wait. If not, a wait has a limit.
  void follow_rings(bool follow) { rings_followed_ = follow; }
  // The limit of a wait that no ring ends. Default: 20 ms.
  void limit_unfollowed_wait(std::chrono::milliseconds limit) { unfollowed_wait_ = limit; }

  // Waits until a ring is a quarter full, the recording ends, or a second has passed. Returns the
  // reason if the recording ends.
  std::optional<std::string> wait();
  // Waits for "enable" on the control descriptor. Returns the reason if the recording ends first.
  std::optional<std::string> wait_for_enable();
  // Waits for the end of the watched processes. Returns false after the time limit or on a further
  // signal.
  bool wait_for_processes(std::uint64_t limit_ns);
  // The last "trigger TIME TEXT" line of the control descriptor.
  [[nodiscard]] const std::optional<flight_trigger>& trigger() const { return trigger_; }
  // Returns whether a further signal arrived: the user wants a quick end.
  [[nodiscard]] bool hurried() const;

 private:
  std::optional<std::string> read_control();
  bool take_signal();
  void poll_all(int timeout_ms);
  bool processes_ended();
  [[nodiscard]] int timeout_ms() const;

  end_guard guard_;
  unsigned signals_taken_ = 0;
  bool ended_by_signal_ = false;
  int control_fd_;
  bool enabled_ = false;
  std::string control_text_;
  std::optional<flight_trigger> trigger_;
  std::vector<descriptor> processes_;
  std::vector<pid_t> unwatched_;  // polled with kill(pid, 0): the kernel has no pidfd
  std::vector<pollfd> others_;
  std::vector<pollfd> rings_;
  bool rings_followed_ = true;
  std::chrono::milliseconds unfollowed_wait_{20};
  std::vector<pollfd> polled_;
  std::uint64_t deadline_ns_ = 0;
  std::uint64_t wake_ns_ = 0;  // 0: none
};

}  // namespace stallscope::collect
