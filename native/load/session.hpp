// A whole run: threads that load the target, and the calling thread, which reports. Signals that
// end it (SIGINT, SIGTERM) must be blocked beforehand, in all threads.
#pragma once

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <thread>
#include <vector>

#include "histogram/interval_log.hpp"
#include "load/output_files.hpp"
#include "load/report.hpp"
#include "load/worker.hpp"

namespace stallscope::load {

class session {
 public:
  // Throws failure where the target or the directory is none.
  explicit session(const options& asked);
  ~session();
  session(const session&) = delete;
  session& operator=(const session&) = delete;
  session(session&&) = delete;
  session& operator=(session&&) = delete;

  // Runs it to its end, telling its lines on standard output. Throws failure where the target
  // cannot be loaded or failed.
  void run();

 private:
  struct thread_state;

  void start_threads();
  bool wait_until_ready();
  void begin();
  void report_until_done();
  void take_notice();
  void tell_second(unsigned up_to, std::chrono::nanoseconds length);
  void tell_all_complete();
  void finish();
  void end_early() noexcept;
  void tell(const std::string& line) const;
  [[nodiscard]] bool all_have(unsigned second);

  load_plan plan_;
  std::optional<output_files> files_;
  descriptor notice_;
  descriptor signals_;
  std::vector<std::unique_ptr<thread_state>> threads_;
  outcome found_;
  std::uint64_t measured_from_ns_ = 0;
  double started_at_s_ = 0;
  unsigned second_ = 0;  // the next to tell
};

}  // namespace stallscope::load
