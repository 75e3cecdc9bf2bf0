// The CPython processes among those that are sampled: found at their first sample, followed through
// exec and exit, their threads read right after a sample of theirs. A process that is no CPython
// costs a look at its mappings, then ever rarer ones, since an interpreter may be loaded later.
// Writes lines for python.jsonl into a text; the caller moves them on. One thread.
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

// Which of several watches one is: their numbers of code and stacks must differ.
struct place_among {
  std::uint64_t index = 0;
  std::uint64_t count = 1;
};

class process_watch {
 public:
  explicit process_watch(const procfs& proc, place_among place);

  // A sample that was just seen; only the newest of each thread will be read.
  void note(const sample_notice& sample);
  // The process became another program, or ended.
  void forget(pid_t pid);
  // Reads the frames of all threads noted since the last call.
  void read_noted(std::string& out);

  // Whether any process is one whose threads are read.
  [[nodiscard]] bool any_read() const;
  [[nodiscard]] const read_counts& counts() const { return counts_; }

 private:
  struct process {
    std::unique_ptr<thread_reader> reader;  // none: no CPython, or refused, or not begun yet
    interpreter_search search;
    bool settled = false;  // no more looks: refused, or it has trampolines
    bool own_namespace = false;
    std::uint64_t look_again_ns = 0;
    std::uint64_t pause_ns = 0;
    std::unordered_map<pid_t, pid_t> native_ids;
  };
  process& known(pid_t pid);
  void look_at(pid_t pid, process& one, std::string& out);
  void begin_reading(pid_t pid, process& one, std::string& out);
  void read(const sample_notice& sample, process& one, std::string& out);
  pid_t native_id(const sample_notice& sample, process& one) const;
  std::uint64_t stack_number(std::span<const python_frame> frames, std::string& out);

  procfs proc_;
  std::unordered_map<pid_t, sample_notice> noted_;  // by thread
  std::unordered_map<pid_t, process> processes_;
  std::unordered_map<std::string, std::uint64_t> stacks_;  // by the frames' bytes
  std::shared_ptr<numbering> codes_;                       // shared with the readers
  numbering stacks_given_;
  read_counts counts_;
  python_stack stack_;
  std::vector<code_facts> fresh_;
};

}  // namespace stallscope::python_frames
