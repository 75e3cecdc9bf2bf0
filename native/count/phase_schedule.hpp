// The marked phases of a counting: when counters are to be enabled and disabled. Marks are lines,
// "start" and "stop", with a time on the monotonic clock in nanoseconds, or without one: now. A
// time in the future is waited for. Pure computation. One thread.
//
//   phase_schedule schedule;
//   schedule.add("start 1000", now_ns);
//   while (const auto change = schedule.take_due(now_ns)) apply(*change);
//   sleep_until(schedule.next_ns());
#pragma once

#include <cstdint>
#include <deque>
#include <optional>
#include <string_view>

namespace stallscope::count {

struct phase_change {
  bool starts = false;
  std::uint64_t marked_ns = 0;
};

class phase_schedule {
 public:
  // Returns false if the line is not a mark. A stop that is due before its start cancels the phase;
  // a stop without a start has no effect, as has a start within a phase.
  bool add(std::string_view line, std::uint64_t now_ns);
  // No further marks follow: a phase that runs ends now, one that has not begun is cancelled.
  void close(std::uint64_t now_ns);

  // Returns the next change that is due, in order; applying it is up to the caller.
  std::optional<phase_change> take_due(std::uint64_t now_ns);
  // Returns the time of the next change, 0 without one.
  [[nodiscard]] std::uint64_t next_ns() const;
  // Whether the changes taken so far have begun a phase and not ended it.
  [[nodiscard]] bool running() const { return running_; }

 private:
  [[nodiscard]] bool running_at_end() const;
  void add_stop(std::uint64_t at_ns);

  bool running_ = false;
  std::deque<phase_change> changes_;
};

}  // namespace stallscope::count
