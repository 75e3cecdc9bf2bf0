// A counting from start to end: chooses groups, opens the output and the counters, reads them at
// the end of every window, and closes the recording. A read costs one system call per group and
// member; between windows the thread sleeps. One thread.
//
//   const auto child_mask = collect::block_ending_signals();
//   count_session counting{options, report};
//   const exit_code code = counting.run(child_mask);
#pragma once

#include <csignal>
#include <memory>
#include <optional>
#include <system_error>

#include "base/procfs.hpp"
#include "collect/command.hpp"
#include "collect/end_watch.hpp"
#include "collect/output_directory.hpp"
#include "collect/reporter.hpp"
#include "count/attachment.hpp"
#include "count/count_document.hpp"
#include "count/counter_log.hpp"

namespace stallscope::count {

class count_session {
 public:
  count_session(const count_options& options, collect::reporter& report);
  // Returns the exit code. Throws failure if nothing was counted.
  exit_code run(const sigset_t& child_mask);

 private:
  void prepare(const sigset_t& child_mask);
  void find_target();
  [[nodiscard]] trial_place place_of_trial() const;
  void open_output();
  std::string wait_for_enable();
  void attach();
  void choose_window();
  void announce();
  void count();
  void read_window();
  void finish(const std::string& reason);
  void judge_groups();
  void close_files();
  void write_document(bool complete);
  [[nodiscard]] collect::progress_numbers numbers() const;
  exit_code stop_early(const std::system_error& error);

  collect::reporter* report_;
  procfs proc_;
  count_facts facts_;
  std::string plan_text_;
  collect::end_watch watch_;
  std::size_t descriptor_limit_ = 0;
  attached_target target_;
  std::unique_ptr<collect::held_command> command_;
  std::optional<collect::output_directory> output_;
  std::optional<counter_log> log_;
  std::optional<attachment> attachment_;
};

}  // namespace stallscope::count
