// A recording of samples from start to end: opens the output, rings and events, writes records for
// existing threads and mappings, drains the rings until the end, and closes the recording. One
// thread; Python frames are read on further threads.
//
//   const auto child_mask = block_ending_signals();
//   session recording{options, report};
//   const exit_code code = recording.run(child_mask);
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>

#include "collect/command.hpp"
#include "collect/drain.hpp"
#include "collect/end_watch.hpp"
#include "collect/event_table.hpp"
#include "collect/output_directory.hpp"
#include "collect/process_filter.hpp"
#include "collect/python_recording.hpp"
#include "collect/recording_document.hpp"
#include "collect/reporter.hpp"
#include "collect/sample_file.hpp"
#include "collect/stack_decision.hpp"
#include "collect/stack_probe.hpp"
#include "collect/target.hpp"
#include "collect/thread_attach.hpp"

namespace stallscope::collect {

class session {
 public:
  session(const collect_options& options, reporter& report);
  // Returns the exit code. Throws failure if nothing was recorded.
  exit_code run(const sigset_t& child_mask);

 private:
  void prepare(const sigset_t& child_mask);
  void choose_stacks();
  stack_choice probe_stacks();
  stack_choice probe_processes();
  stack_choice probe_cpus();
  [[nodiscard]] stack_choice inspect_command() const;
  std::vector<process_evidence> evidence_of(const std::map<pid_t, probe_tally>& tallies,
                                            table_store& tables) const;
  void copy_all_stacks();
  void check_space();
  void set_attributes();
  void note_start();
  void open_output();
  void open_rings_for_cpus();
  void attach();
  void attach_threads();
  void attach_filtered();
  void leave_group();
  void attach_whole_cpus();
  void attach_command();
  using refuser = std::function<failure(int error, int cpu)>;
  void make_event_table();
  [[nodiscard]] std::size_t table_budget() const;
  void open_on_all_cpus(pid_t pid, unsigned long flags, const refuser& refused);
  void synthesize();
  void choose_wake_ups();
  void begin_python();
  void start_python();
  void follow_python();
  void finish_python();
  // Returns whether samples need no event id.
  [[nodiscard]] bool has_single_event() const;
  void write_header();
  void announce();
  void record();
  void check_against_counter();
  void check_counter_was_ours();
  void check_programs_of_others();
  void end_command();
  void finish(const std::string& reason);
  void close_files();
  void keep_kernel_symbols();
  void write_document(bool complete);
  [[nodiscard]] progress_numbers numbers() const;
  [[nodiscard]] exit_code report_result();
  exit_code stop_early(const std::system_error& error);

  reporter* report_;
  procfs proc_;
  recording_facts facts_;
  end_watch watch_;
  std::vector<perf_event_attr> attributes_;  // with mixed stacks: copies, then frame pointers
  std::size_t descriptor_limit_ = 0;
  open_cgroup cgroup_;
  perf_events::ring_set rings_;
  std::unique_ptr<held_command> command_;
  std::optional<output_directory> output_;
  std::optional<sample_file> file_;
  std::optional<event_table> events_;
  std::optional<drain> drain_;
  std::unique_ptr<process_filter> filter_;
  std::unique_ptr<python_recording> python_;
  std::unique_ptr<thread_attach> threads_;
};

}  // namespace stallscope::collect
