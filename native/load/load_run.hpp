// A whole run: threads that load the target, and the calling thread, which reports once per second.
//
//     load_run run(options);              // block SIGINT and SIGTERM in all threads first
//     run.run();
//
// Thread: the one that constructs it. SIGINT and SIGTERM end the run early.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "base/phase_marks.hpp"
#include "histogram/interval_log.hpp"
#include "load/output_files.hpp"
#include "load/report.hpp"
#include "load/worker.hpp"

namespace stallscope::load {

class load_run {
 public:
  // Throws failure if the target, a file or the directory is invalid.
  explicit load_run(const options& settings);
  ~load_run();
  load_run(const load_run&) = delete;
  load_run& operator=(const load_run&) = delete;
  load_run(load_run&&) = delete;
  load_run& operator=(load_run&&) = delete;

  // Runs to the end and prints JSON lines on standard output. Throws failure if the target cannot
  // be reached or failed.
  void run();

 private:
  struct thread_state;

  void start_threads();
  bool wait_until_ready();
  void begin();
  void report_until_done();
  void take_notice();
  void report_second(unsigned up_to, std::chrono::nanoseconds length);
  void report_complete_seconds();
  void finish();
  void end_early() noexcept;
  void print_line(const std::string& line) const;
  [[nodiscard]] bool all_have(unsigned second);

  load_plan plan_;
  phase_marks marks_;
  std::optional<output_files> files_;
  descriptor notice_;
  descriptor signals_;
  std::vector<std::unique_ptr<thread_state>> threads_;
  load_result result_;
  std::uint64_t measured_from_ns_ = 0;
  double started_at_s_ = 0;
  unsigned second_ = 0;  // the next second to report
};

}  // namespace stallscope::load
