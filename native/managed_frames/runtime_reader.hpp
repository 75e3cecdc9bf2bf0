// The interface of the readers of managed runtimes (V8, HotSpot, Ruby, PHP). The first two keep
// their frames on the native stack, so a reader gets the registers and the copied stack of
// each sample, some 1 ms after it, and reads only the heap and tables of the living process. A
// reader belongs to one process and one thread. All that it reads is untrusted: every loop is
// limited, and a frame that fails a check has a function without a name and the reason, never a
// guessed name. Names that moved or died are recognised by a check of the cached code address.
#pragma once

#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "base/procfs.hpp"
#include "managed_frames/function_log.hpp"
#include "managed_frames/managed_stack.hpp"
#include "managed_frames/stack_sample.hpp"
#include "process_reading/process_memory.hpp"
#include "process_reading/read_budget.hpp"

namespace stallscope::managed_frames {

class runtime_reader {
 public:
  runtime_reader() = default;
  runtime_reader(const runtime_reader&) = delete;
  runtime_reader& operator=(const runtime_reader&) = delete;
  runtime_reader(runtime_reader&&) = delete;
  runtime_reader& operator=(runtime_reader&&) = delete;
  virtual ~runtime_reader() = default;

  // Writes the managed frames of a sample into the empty `into`. New functions are added to the
  // log that the reader was made with.
  virtual walk_result walk(const stack_sample& sample, managed_stack& into) = 0;
  // The age at which a sample is too old to be read: objects of its frames may have moved.
  [[nodiscard]] virtual std::uint64_t longest_age_ns() const noexcept = 0;
};

// The process in which a runtime is searched. `mappings` are those of files that are executable,
// and of anonymous executable memory, in order of address.
struct target_view {
  procfs proc;
  pid_t pid = 0;
  process_reading::process_memory memory;
  std::vector<memory_mapping> mappings;
};

struct runtime_detection {
  bool present = false;                      // the process runs this runtime
  std::string version{};                     // for example 11.3.244
  std::string refusal{};                     // why it cannot be read; empty if there is a reader
  std::unique_ptr<runtime_reader> reader{};  // null: not present, refused, or not started yet
  // The function that calls the core of the interpreter's loop; empty: not known.
  address_range loop{};
  unsigned loop_counter = 0;  // DWARF number of the register in which the core has its counter

  static runtime_detection refused(std::string version, std::string why) {
    return {.present = true, .version = std::move(version), .refusal = std::move(why)};
  }
};

// A kind of runtime. `runs` is a cheap look at the mapped files; `detect` is called if it is true,
// and makes the reader. The log outlives the reader.
struct runtime_kind {
  std::string_view name;  // v8, hotspot, ruby, php
  std::function<bool(const target_view&, process_reading::read_budget&)> runs;
  std::function<runtime_detection(const target_view&, function_log&, process_reading::read_budget&)>
      detect;
};

// Returns the process with its executable mappings; fewer if the budget is exhausted.
target_view view_of(const procfs& proc, pid_t pid, process_reading::read_budget& budget);

}  // namespace stallscope::managed_frames
