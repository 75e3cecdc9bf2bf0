// The managed frames of a recording: V8 and HotSpot. A thread passes the samples of processes with
// a runtime to a helper process within milliseconds, and the drain's thread writes what it
// has read to runtimes.jsonl, which exists only if there is something to write. While no process is
// read, samples are looked at every 20 ms, and after 10 s without a new program every 500 ms.
// Functions are for the drain's thread.
//
//   runtime_session runtimes{proc, rings, output};
//   runtimes.start(filter);                        // when the events are open
//   while (recording) runtimes.pass();
//   if (auto file = runtimes.finish()) facts.files.push_back(*file);
#pragma once

#include <atomic>
#include <cstdint>
#include <ctime>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>
#include <vector>

#include "base/descriptor.hpp"
#include "base/failure.hpp"
#include "base/procfs.hpp"
#include "collect/batch_pace.hpp"
#include "collect/document_parts.hpp"
#include "collect/output_directory.hpp"
#include "collect/process_exclusions.hpp"
#include "collect/process_filter.hpp"
#include "collect/runtime_forwarder.hpp"
#include "collect/sample_file.hpp"
#include "managed_frames/walk_helper.hpp"
#include "perf_events/ring.hpp"

namespace stallscope::collect {

class runtime_session {
 public:
  // The rings and the output must outlive the session. Throws std::system_error.
  // `period_ns`: interval of the samples of a thread if the event is a clock, else 0.
  runtime_session(const procfs& proc, const perf_events::ring_set& rings, output_directory& output,
                  std::uint64_t period_ns);
  runtime_session(const runtime_session&) = delete;
  runtime_session& operator=(const runtime_session&) = delete;
  runtime_session(runtime_session&&) = delete;
  runtime_session& operator=(runtime_session&&) = delete;
  ~runtime_session();

  // Call when the events are open. With a filter, which belongs to the drain's thread, the samples
  // are passed on by pass(); it may be null.
  void start(const process_filter* filter);
  // Call before each pass of the drain. Throws std::system_error if the file cannot be written.
  void pass();
  // The time until pass() must be called again; 0: there is no such time.
  [[nodiscard]] std::uint64_t next_pass_ns();
  [[nodiscard]] const std::vector<warning>& warnings() const { return warnings_; }
  // Where the stacks of threads end.
  [[nodiscard]] const managed_frames::stack_ends& ends() const { return shared_->ends; }
  // See sample_file. Call append() only for lines that were diverted.
  void divert(append_sink* sink);
  void append(std::string_view lines) { write(lines); }
  // Ends the reading and returns the file, if there is one.
  std::optional<file_entry> finish();

 private:
  struct ending_process {
    reader_process::child_process process;
    pid_t target = 0;
  };
  std::uint64_t next_pause_ns();
  [[nodiscard]] std::uint64_t until_next_sample_ns() const;
  // Whether a sample belongs to a process that may have a runtime.
  [[nodiscard]] bool selects(const perf_events::record_view& record);
  managed_frames::sample_slot* slot();
  void forget(pid_t pid);
  void start_helper();
  void replace_helper(const reader_process::helper_fault& fault);
  void forward();
  void follow();
  void stop_thread();
  void write(std::string_view text);
  void warn_of_abandoned(const ending_process& ending);

  procfs proc_;
  output_directory* output_;
  std::uint64_t period_ns_;
  const process_filter* filter_ = nullptr;
  process_exclusions exclusions_;
  reader_process::shared_memory<managed_frames::watch_shared> shared_;
  mutable std::mutex mutex_;  // guards the helper, which only the drain's thread replaces
  std::unique_ptr<managed_frames::walk_helper> helper_;
  bool has_samples_ = false;
  std::size_t passed_ = 0;  // samples since the last pause
  batch_pace pace_;
  int idle_rounds_ = 0;  // without a process that is read; of the thread
  std::uint64_t generation_ = 0;
  std::vector<ending_process> ending_;
  std::vector<std::unique_ptr<runtime_forwarder>> forwarders_;
  descriptor stop_;
  std::thread thread_;
  std::optional<sample_file> file_;
  append_sink* sink_ = nullptr;
  std::uint64_t written_ns_ = 0;
  std::uint64_t supervised_ns_ = 0;
  std::vector<warning> warnings_;
  std::uint64_t dropped_samples_ = 0;  // that no helper has read, because it was behind
};

}  // namespace stallscope::collect
