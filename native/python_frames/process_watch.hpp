// Follows the CPython processes among the sampled processes. A process is detected at its first
// sample and followed through exec and exit; its threads are read right after their samples. Other
// processes cost a scan of their mappings, with growing pauses, because an interpreter may be
// loaded later. Appends lines for python.jsonl to a string. The processes are untrusted: searches,
// reads and lines have limits per process and in total, and a process that exceeds them is read
// less often. Files and memory of a process may block the caller for any time. A watch belongs to a
// single thread.
//
//  process_watch watch{proc, {index, count}, activity, shared};
//  watch.note(sample);
//  watch.read_noted(lines);
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/procfs.hpp"
#include "process_reading/native_ids.hpp"
#include "process_reading/process_verdicts.hpp"
#include "process_reading/time_allowance.hpp"
#include "python_frames/frames_text.hpp"
#include "python_frames/interpreter.hpp"
#include "python_frames/reader_channel.hpp"
#include "python_frames/thread_reader.hpp"

namespace stallscope::python_frames {

// The index of a watch among `count` watches. It keeps their code and stack ids distinct.
struct watch_index {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

// What all watches of a recording share. May be in shared memory.
struct watch_shared {
  // Searches for interpreters by exported symbols, and by all symbols of a file.
  process_reading::time_allowance searches{{.at_once_ns = 250'000'000, .reciprocal = 50}};
  process_reading::time_allowance long_searches{{.at_once_ns = 150'000'000, .reciprocal = 100}};
  process_reading::process_verdicts verdicts;
};

class process_watch {
 public:
  // `activity` and `shared` must outlive the watch.
  process_watch(const procfs& proc, watch_index position, reader_process::read_activity& activity,
                watch_shared& shared);

  // Records a sample. Only the newest sample of a thread is read.
  void note(const sample_notice& sample);
  // Removes a process after exec or exit.
  void forget(pid_t pid);
  // Reads the frames of all threads recorded since the last call.
  void read_noted(std::string& out);

  // Whether a process is read.
  [[nodiscard]] bool any_read() const;
  [[nodiscard]] const read_counts& counts() const { return counts_; }

 private:
  struct process {
    std::unique_ptr<thread_reader> reader;  // null: not CPython, refused, or not started yet
    interpreter_search search;
    bool final = false;  // final state: refused, or trampolines
    bool long_searched = false;
    std::uint64_t next_examination_ns = 0;
    std::uint64_t pause_ns = 0;
    std::optional<process_reading::native_ids> thread_ids;  // set with the reader
    process_reading::time_allowance reads{{.at_once_ns = 100'000'000, .reciprocal = 10}};
    std::uint64_t line_bytes = 0;
  };
  process& process_of(pid_t pid);
  [[nodiscard]] bool may_read(const process& target, std::uint64_t now_ns) const;
  void search(pid_t pid, process& target);
  void examine(pid_t pid, process& target, std::string& out);
  void begin_reading(pid_t pid, process& target, std::string& out);
  void read(const sample_notice& sample, process& target, std::string& out);
  void read_frames(const sample_notice& sample, process& target, std::string& out);
  std::uint64_t stack_number(std::span<const python_frame> frames, std::string& out);

  procfs proc_;
  reader_process::read_activity* activity_;
  watch_shared* shared_;
  process_reading::time_allowance reads_{{.at_once_ns = 300'000'000, .reciprocal = 5}};
  std::unordered_map<pid_t, sample_notice> newest_samples_;  // by tid
  std::unordered_map<pid_t, process> processes_;
  std::unordered_map<std::string, std::uint64_t> stacks_;  // by the bytes of the frames
  std::size_t stack_bytes_ = 0;
  std::shared_ptr<process_reading::numbering> code_ids_;  // shared with the readers
  process_reading::numbering stack_ids_;
  read_counts counts_;
  python_stack stack_;
  std::vector<code_facts> fresh_;
};

}  // namespace stallscope::python_frames
