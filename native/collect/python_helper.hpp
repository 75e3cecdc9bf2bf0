// A helper that reads Python frames, and its replacements. If the files or the memory of a process
// block the helper, or end it, the process is excluded, and a new helper takes over. note(),
// forget() and wake() are for any thread, the rest for the drain's thread.
//
//   python_helper helper{context, 0, cpu};
//   helper.note(sample);  helper.wake();           // reading threads
//   helper.supervise(now); helper.take_text(text); // now and then
//   helper.request_stop(); helper.finish(deadline, text);
#pragma once

#include <chrono>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "base/procfs.hpp"
#include "collect/process_exclusions.hpp"
#include "python_frames/frame_helper.hpp"
#include "reader_process/shared_memory.hpp"

namespace stallscope::collect {

// What the helpers of a recording share.
struct python_helper_context {
  explicit python_helper_context(const procfs& of) : proc{of}, exclusions{of} {}
  procfs proc;
  reader_process::shared_memory<python_frames::watch_shared> shared;
  process_exclusions exclusions;
  std::size_t helper_count = 1;
  std::size_t replaced = 0;
  std::vector<warning> warnings;
};

class python_helper {
 public:
  // The context must outlive the helper. A `cpu` of -1 is any. Throws std::system_error.
  python_helper(python_helper_context& context, std::size_t index, int cpu);

  // Passes a sample on if its process may run Python.
  void note(const python_frames::sample_notice& sample);
  // A process ended or started another program.
  void forget(pid_t pid);
  // Wakes the helper if there are new notices.
  void wake();

  // Replaces a helper that is blocked or has ended.
  void supervise(std::uint64_t now_ns);
  void take_text(std::string& text);
  [[nodiscard]] bool has_much_text();
  [[nodiscard]] bool reads_any();
  [[nodiscard]] python_frames::read_counts counts();

  void request_stop();
  // Waits for the end until the deadline, kills the helper and takes its last lines.
  void finish(std::chrono::steady_clock::time_point deadline, std::string& text);

 private:
  struct ending_process {
    reader_process::child_process process;
    pid_t target = 0;  // the process that it waits for
  };
  void start();
  void replace(const reader_process::helper_fault& fault);
  void warn_of_abandoned(const ending_process& ending);

  python_helper_context* context_;
  std::size_t index_;
  int cpu_;
  std::size_t generation_ = 0;
  std::mutex mutex_;  // guards the members below
  std::unique_ptr<python_frames::frame_helper> helper_;
  bool has_notices_ = false;
  python_frames::read_counts earlier_counts_;
  std::string earlier_text_;
  std::vector<ending_process> ending_;
};

}  // namespace stallscope::collect
