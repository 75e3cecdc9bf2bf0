// A counting in progress: reads the counters at the end of every window until the end, and closes
// the files. With phases it enables and disables them at the marks, and reads them at each end. A
// read costs one system call per group and member; between windows the thread sleeps. One thread.
//
//   counting running{attached, watch, report};
//   running.run();
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "collect/reporter.hpp"
#include "count/attached_counting.hpp"
#include "count/phase_input.hpp"

namespace stallscope::count {

class counting {
 public:
  counting(attached_counting& attached, collect::end_watch& watch, collect::reporter& report);

  // Starts the command, reports the start and counts until the end. Throws std::system_error if a
  // write fails.
  void run();

 private:
  void announce();
  // Returns the reason of the end.
  std::string read_until_end();
  void read_due_window();
  // Whether counters are enabled, and so read at the end of every window.
  [[nodiscard]] bool is_counting() const { return !phases_ || phases_->running(); }
  // Applies the changes that are due. Returns whether there are no further phases.
  bool follow_phases();
  void end_phases();

  attached_counting* attached_;
  opened_counting* opened_;
  collect::end_watch* watch_;
  collect::reporter* report_;
  std::optional<phase_input> phases_;
  std::uint64_t next_window_ns_ = 0;
};

}  // namespace stallscope::count
