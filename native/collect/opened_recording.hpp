// A recording whose output, rings and drain are open and whose events are not: nothing is sampled
// yet. Costs the rings' memory. One thread; it must outlive the attached recording.
//
//   opened_recording opened{prepared, watch};
//   attached_recording attached{opened};
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "collect/cpu_wide_events.hpp"
#include "collect/drain.hpp"
#include "collect/end_watch.hpp"
#include "collect/event_table.hpp"
#include "collect/prepared_recording.hpp"
#include "collect/python_session.hpp"
#include "collect/recording_files.hpp"
#include "collect/runtime_session.hpp"

namespace stallscope::collect {

class opened_recording {
 public:
  // Selects the stacks and opens the output and the rings. Throws failure.
  opened_recording(prepared_recording& prepared, end_watch& watch);
  opened_recording(const opened_recording&) = delete;
  opened_recording& operator=(const opened_recording&) = delete;
  opened_recording(opened_recording&&) = delete;
  opened_recording& operator=(opened_recording&&) = delete;
  ~opened_recording() = default;

  [[nodiscard]] prepared_recording& prepared() { return *prepared_; }
  [[nodiscard]] recording_facts& facts() { return prepared_->facts; }
  [[nodiscard]] const recording_facts& facts() const { return prepared_->facts; }
  [[nodiscard]] end_watch& watch() { return *watch_; }
  [[nodiscard]] recording_files& files() { return files_; }
  [[nodiscard]] const recording_files& files() const { return files_; }
  [[nodiscard]] const perf_events::ring_set& rings() const { return rings_; }
  [[nodiscard]] drain& records() { return *drain_; }
  [[nodiscard]] python_session* python() { return python_ ? &*python_ : nullptr; }
  [[nodiscard]] runtime_session* runtimes() { return runtimes_ ? &*runtimes_ : nullptr; }

  // The attributes of the sampled event. With mixed stacks: with copies, then by frame pointers.
  [[nodiscard]] const std::vector<perf_event_attr>& attributes() const { return attributes_; }
  // Whether samples need no event id. The header is then written at once, otherwise when the ids of
  // the events are known.
  [[nodiscard]] bool has_single_event() const;
  void write_header(const event_table* events, const cpu_wide_events* cpu_wide = nullptr);
  // Copies the stacks of all processes, because sampling whole CPUs needs one method.
  void copy_all_stacks();
  // Records the switches with the sampled event.
  void record_switches();
  // Samples without the group: counts of whole CPUs are not those of the target.
  void leave_group();

  void note_start();
  void end_command_of_target();
  // Ends the command and closes the files.
  void close();
  // The same after a failed write: keeps the data written so far.
  void close_incomplete();

 private:
  void open_rings();
  void set_attributes();
  void check_space();
  void choose_copied_bytes();
  [[nodiscard]] bool may_have_runtimes() const;

  prepared_recording* prepared_;
  end_watch* watch_;
  recording_files files_;
  perf_events::ring_set rings_;
  std::vector<perf_event_attr> attributes_;
  std::optional<drain> drain_;
  std::optional<python_session> python_;
  std::optional<runtime_session> runtimes_;
  std::optional<stack_trimmer> trimmer_;
};

}  // namespace stallscope::collect
