// A counting in progress: reads the counters at the end of every window until the end, and closes
// the files. A read costs one system call per group and member; between windows the thread sleeps.
// One thread.
//
//   counting running{attached, watch, report};
//   running.run();
#pragma once

#include <string>

#include "collect/reporter.hpp"
#include "count/attached_counting.hpp"

namespace stallscope::count {

class counting {
 public:
  counting(attached_counting& attached, collect::end_watch& watch, collect::reporter& report)
      : attached_{&attached}, opened_{&attached.opened()}, watch_{&watch}, report_{&report} {}

  // Starts the command, reports the start and counts until the end. Throws std::system_error if a
  // write fails.
  void run();

 private:
  void announce();
  // Returns the reason of the end.
  std::string read_until_end();

  attached_counting* attached_;
  opened_counting* opened_;
  collect::end_watch* watch_;
  collect::reporter* report_;
};

}  // namespace stallscope::count
