// Detects the managed runtimes of sampled processes and reads their samples. A process is examined
// at its first sample and again with growing pauses, because a runtime may be loaded later.
// Processes are untrusted: searches and reads have limits per process and in total. Files and
// memory of a process may block the caller for any time. One thread.
//
//   runtime_watch watch{proc, kinds, {index, count}, activity, shared};
//   watch.read(sample, lines);
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/procfs.hpp"
#include "managed_frames/function_log.hpp"
#include "managed_frames/runtime_reader.hpp"
#include "managed_frames/stack_ends.hpp"
#include "managed_frames/stack_log.hpp"
#include "process_reading/process_verdicts.hpp"
#include "process_reading/time_allowance.hpp"
#include "reader_process/read_activity.hpp"

namespace stallscope::managed_frames {

// What all helpers of a recording share. May be in shared memory.
struct watch_shared {
  process_reading::time_allowance searches{{.at_once_ns = 400'000'000, .reciprocal = 50}};
  process_reading::process_verdicts verdicts;
  stack_ends ends;
};

class runtime_watch {
 public:
  // Helpers with different positions never give the same ids. `activity` and `shared` must outlive
  // the watch.
  struct position {
    std::uint64_t index = 0;
    std::uint64_t count = 1;
  };
  runtime_watch(const procfs& proc, std::vector<runtime_kind> kinds, position where,
                reader_process::read_activity& activity, watch_shared& shared);

  // Reads a sample and appends its lines.
  void read(const stack_sample& sample, std::string& out);
  // Removes a process after exec or exit.
  void forget(pid_t pid);
  [[nodiscard]] bool any_read() const noexcept { return readers_ != 0; }
  // The age at which samples are too old for the most demanding reader.
  [[nodiscard]] std::uint64_t shortest_age_ns() const noexcept { return shortest_age_ns_; }

 private:
  struct process {
    std::unique_ptr<runtime_reader> reader;
    bool final = false;  // refused
    std::uint64_t next_examination_ns = 0;
    std::uint64_t pause_ns = 0;
    process_reading::time_allowance reads{{.at_once_ns = 200'000'000, .reciprocal = 10}};
    std::uint64_t walks = 0;
    std::uint64_t line_bytes = 0;
    std::uint64_t next_mappings_ns = 0;  // when its mappings may be read again
  };
  process& process_of(pid_t pid);
  void examine(pid_t pid, process& target, std::string& out);
  void read_stack(const stack_sample& sample, process& target, std::string& out);
  walk_result walk(const stack_sample& sample, process& target);
  // Reads the end of a thread's stack if it is not known.
  void note_stack_end(const stack_sample& sample, process& target);

  procfs proc_;
  std::vector<runtime_kind> kinds_;
  reader_process::read_activity* activity_;
  watch_shared* shared_;
  std::string new_functions_;  // lines that the function log has written
  function_log functions_;
  stack_log stacks_;
  std::unordered_map<pid_t, process> processes_;
  std::size_t readers_ = 0;
  std::uint64_t shortest_age_ns_ = ~std::uint64_t{0};
  managed_stack walked_;
  std::vector<std::uint64_t> stack_ids_;
};

}  // namespace stallscope::managed_frames
