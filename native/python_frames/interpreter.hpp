// The CPython of a process: which mapped file has it, its version, where its runtime's state lies
// and how that is laid out. Costs a read of /proc/PID/maps and of one file's symbols.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/procfs.hpp"
#include "python_frames/layout.hpp"

namespace stallscope::python_frames {

struct interpreter {
  std::uint64_t runtime = 0;    // the address of _PyRuntime
  std::uint64_t code_type = 0;  // of PyCode_Type
  std::string version;          // as 3.11.2
  layout fields;
};

struct interpreter_search {
  std::optional<interpreter> found;
  bool present = false;  // the process has a CPython, even if it is not found
  std::string refusal;   // why a present one is not read
};

interpreter_search find_interpreter(const procfs& proc, pid_t pid);

// 3.11.2 of 0x030b02f0.
std::string version_text(std::uint32_t version);

}  // namespace stallscope::python_frames
