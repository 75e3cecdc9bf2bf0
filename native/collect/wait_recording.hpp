// The part of a recording that concerns waits: opens the events of whole CPUs, decides which of
// their records concern the target, and writes waits.jsonl. The rest of the collector knows nothing
// else about waits. All functions belong to the drain's thread.
//
//   wait_recording waits{opened};
//   waits.open_cpu_events();              // before the target's events
//   waits.start(events, attached_sieve);  // when the target's events are open
//   waits.read_target("start");           // after the header
//   waits.finish();
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "collect/cpu_wide_events.hpp"
#include "collect/opened_recording.hpp"
#include "collect/wait_log.hpp"
#include "collect/wait_sieve.hpp"

namespace stallscope::collect {

class wait_recording {
 public:
  // Creates waits.jsonl. Throws std::system_error.
  explicit wait_recording(opened_recording& opened);

  // If the kernel refuses the events now, the target's events record the switches.
  void open_cpu_events();
  // Selects the records that are kept. `inner` may be null and must outlive this object.
  void start(const event_table& events, sieve* inner);
  // Null without events of whole CPUs.
  [[nodiscard]] const cpu_wide_events* cpu_events() const {
    return cpu_events_ ? &*cpu_events_ : nullptr;
  }
  // Writes the names of the threads of other processes, which whole CPUs ran.
  void write_names_of_others();
  // Writes the lines of the target's threads, descriptors and cgroups.
  void read_target(const std::string& moment);
  void append_lines(std::string_view lines) { log_.append_lines(lines); }
  // Stops the events of whole CPUs, and writes the readings at the end.
  void finish();

 private:
  void give_up_cpu_events(int error);
  void log_sources();

  opened_recording* opened_;
  wait_log log_;
  std::optional<cpu_wide_events> cpu_events_;
  std::optional<wait_sieve> sieve_;
};

}  // namespace stallscope::collect
