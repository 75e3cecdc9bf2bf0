// A recording in progress: drains the rings until the end, compares samples and counter, and closes
// the files. One thread; Python frames are read on further threads.
//
//   recording running{attached, report};
//   running.run();
#pragma once

#include <optional>
#include <string>

#include "collect/attached_recording.hpp"
#include "collect/flight_memory.hpp"
#include "collect/reporter.hpp"
#include "collect/request_session.hpp"

namespace stallscope::collect {

class recording {
 public:
  recording(attached_recording& attached, reporter& report)
      : attached_{&attached}, opened_{&attached.opened()}, report_{&report} {}

  // Starts the command, reports the start and records until the end. Throws failure if the target
  // ended before it could be sampled, std::system_error if a write fails.
  void run();

 private:
  void announce();
  // Returns the reason of the end.
  std::string drain_until_end();
  // Returns the reason of the end if the recording has its maximum size.
  std::optional<std::string> size_limit();
  void read_counters();
  void add_check_warnings();

  attached_recording* attached_;
  opened_recording* opened_;
  reporter* report_;
  std::optional<flight_memory> flight_;
  std::optional<request_session> requests_;
};

// Whether the last seconds are written after this end.
bool keeps_flight(const recording_facts& facts);

// The numbers of the recording so far, or at its end.
progress_numbers numbers_of_recording(const opened_recording& opened);

}  // namespace stallscope::collect
