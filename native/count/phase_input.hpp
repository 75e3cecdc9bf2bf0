// Reads the marks of phases from a descriptor, a pipe or a socket, and wakes a wait when a change
// is due. On a socket each change is acknowledged with a line. Costs a timer and one read per wait.
// One thread. The peer is not trusted: lines are bounded and never block.
//
//   phase_input phases{fd};
//   for (const int woken_by : phases.descriptors()) watch.watch_descriptor(woken_by);
//   while (const auto change = phases.take_due()) { apply(*change); phases.acknowledge(*change); }
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

#include "base/descriptor.hpp"
#include "count/phase_schedule.hpp"

namespace stallscope::count {

class phase_input {
 public:
  // Throws std::system_error if there is no timer.
  explicit phase_input(int fd);

  // Become readable when a mark arrives or a change is due.
  [[nodiscard]] std::array<int, 2> descriptors() const { return {fd_, timer_.get()}; }
  // Reads what has arrived and returns the next change that is due.
  std::optional<phase_change> take_due();
  // Reports a change as applied to the peer, if it can be written to without waiting.
  void acknowledge(const phase_change& change, std::uint64_t applied_ns) const;

  [[nodiscard]] bool running() const { return schedule_.running(); }
  // Whether the peer has closed its end and all changes were taken.
  [[nodiscard]] bool ended() const { return closed_ && schedule_.next_ns() == 0; }
  [[nodiscard]] std::uint64_t bad_lines() const { return bad_lines_; }

 private:
  void read_lines(std::uint64_t now_ns);
  void set_timer() const;

  int fd_;
  descriptor timer_;
  std::string text_;
  phase_schedule schedule_;
  std::uint64_t bad_lines_ = 0;
  bool closed_ = false;
};

}  // namespace stallscope::count
