// The part of a recording that concerns waits: opens the events of whole CPUs, decides which of
// their records concern the target, and writes waits.jsonl. The rest of the collector knows nothing
// else about waits. All functions belong to the drain's thread.
//
//   wait_recording waits{opened};
//   waits.open_cpu_events();              // before the target's events
//   waits.start(events, attached_sieve);  // when the target's events are open
//   waits.read_target("start");           // after the header
//   while (recording) waits.pass();       // after each pass of the drain
//   waits.finish();
#pragma once

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>

#include "collect/cpu_wide_events.hpp"
#include "collect/flight_lines.hpp"
#include "collect/opened_recording.hpp"
#include "collect/other_names.hpp"
#include "collect/tick_reader.hpp"
#include "collect/wait_budget.hpp"
#include "collect/wait_log.hpp"
#include "collect/wait_sieve.hpp"
#include "collect/window_pace.hpp"
#include "collect/window_thread.hpp"

namespace stallscope::collect {

class wait_recording {
 public:
  // Creates waits.jsonl. Throws std::system_error.
  explicit wait_recording(opened_recording& opened);

  // If the kernel refuses the events now, the target's events record the switches.
  void open_cpu_events();
  // Selects the records that are kept. `inner` may be null and must outlive this object.
  void start(event_table& events, sieve* inner);
  // Compares the cost with its limit, and writes the lines of windows and readings.
  void pass();
  // Whether not every switch is recorded, because that costs too much.
  [[nodiscard]] bool limited() const { return limited_; }
  // Null without events of whole CPUs.
  [[nodiscard]] const cpu_wide_events* cpu_events() const {
    return cpu_events_ ? &*cpu_events_ : nullptr;
  }
  // Writes the names of the threads of other processes, which whole CPUs ran; at the end those of
  // new threads.
  void write_names_of_others();
  // Writes the lines of the target's threads, descriptors and cgroups.
  void read_target(const std::string& moment);
  void append_lines(std::string_view lines) { log_.append_lines(lines); }
  // The lines of waits.jsonl, if only the last seconds are kept.
  [[nodiscard]] flight_lines& kept_lines() { return *kept_lines_; }
  // Writes them, and returns the file.
  file_entry write_kept_lines();
  // Stops the events of whole CPUs, and writes the readings at the end.
  void finish();

 private:
  void give_up_cpu_events(int error);
  void read_totals();
  void log_sources();
  void measure_rate();
  // From now on switches are recorded in random windows only; without the right to trace whole CPUs
  // not at all. Readings of /proc show long waits.
  void limit_cost(wait_excess excess);
  [[nodiscard]] double longest_window_ns(const wait_excess& excess) const;
  void start_windows(const wait_excess& excess);
  // The events that would record every switch stay disabled.
  void disable_all_switches();
  void write_windows();
  void read_last_totals();

  opened_recording* opened_;
  other_names names_;
  wait_log log_;
  std::optional<flight_lines> kept_lines_;
  std::set<std::string> cgroups_;
  std::uint64_t totals_read_ns_ = 0;
  wait_budget budget_;
  event_table* events_ = nullptr;
  std::optional<double> switches_per_s_;  // before the recording started
  double run_share_ = 1;                  // CPUs that the target used then
  std::optional<cpu_wide_events> cpu_events_;
  std::optional<wait_sieve> sieve_;
  std::optional<wait_excess> excess_at_start_;
  bool limited_ = false;
  std::optional<tick_reader> ticks_;
  std::optional<window_pace> pace_;
  std::optional<window_thread> windows_;
};

}  // namespace stallscope::collect
