// Follows the CPython processes among the sampled processes. A process is detected at its first
// sample and followed through exec and exit; its threads are read right after their samples. Other
// processes cost a scan of their mappings, with growing pauses, because an interpreter may be
// loaded later. Appends lines for python.jsonl to a string. A watch belongs to a single thread.
//  watch.note(sample);
//  watch.read_noted(lines);
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <memory>
#include <string>
#include <unordered_map>
#include <vector>

#include "base/procfs.hpp"
#include "python_frames/frames_text.hpp"
#include "python_frames/interpreter.hpp"
#include "python_frames/thread_reader.hpp"

namespace stallscope::python_frames {

struct sample_notice {
  pid_t pid = 0;
  pid_t tid = 0;
  std::uint64_t time_ns = 0;
};

// The index of a watch among `count` watches. It keeps their code and stack ids distinct.
struct watch_index {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

class process_watch {
 public:
  explicit process_watch(const procfs& proc, watch_index position);

  // Records a sample. Only the newest sample of a thread is read.
  void note(const sample_notice& sample);
  // Removes a process after exec or exit.
  void forget(pid_t pid);
  // Reads the frames of all threads recorded since the last call.
  void read_noted(std::string& out);

  // Whether there is a process whose threads are read.
  [[nodiscard]] bool any_read() const;
  [[nodiscard]] const read_counts& counts() const { return counts_; }

 private:
  struct process {
    std::unique_ptr<thread_reader> reader;  // null: not CPython, refused, or not started yet
    interpreter_search search;
    bool final = false;  // final state: refused, or trampolines
    bool own_namespace = false;
    std::uint64_t next_examination_ns = 0;
    std::uint64_t pause_ns = 0;
    std::unordered_map<pid_t, pid_t> native_ids;
  };
  process& process_of(pid_t pid);
  void examine(pid_t pid, process& target, std::string& out);
  void begin_reading(pid_t pid, process& target, std::string& out);
  void read(const sample_notice& sample, process& target, std::string& out);
  pid_t native_id(const sample_notice& sample, process& target) const;
  std::uint64_t stack_number(std::span<const python_frame> frames, std::string& out);

  procfs proc_;
  std::unordered_map<pid_t, sample_notice> newest_samples_;  // by tid
  std::unordered_map<pid_t, process> processes_;
  std::unordered_map<std::string, std::uint64_t> stacks_;  // by the bytes of the frames
  std::shared_ptr<numbering> code_ids_;                    // shared with the readers
  numbering stack_ids_;
  read_counts counts_;
  python_stack stack_;
  std::vector<code_facts> fresh_;
};

}  // namespace stallscope::python_frames
