// Locates the CPython interpreter of a process: its file, its version, the address of its runtime
// state and the layout of that state. Costs a read of /proc/PID/maps and some small reads of files;
// without dynamic symbols, a read of the string table of the program. The process is untrusted: all
// reads take from a budget. Its files and memory may block the caller for any time. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "base/procfs.hpp"
#include "process_reading/read_budget.hpp"
#include "python_frames/layout.hpp"

namespace stallscope::python_frames {

struct interpreter {
  std::uint64_t runtime = 0;    // address of _PyRuntime
  std::uint64_t code_type = 0;  // address of PyCode_Type
  std::string version;          // for example 3.11.2
  layout fields;
};

struct interpreter_search {
  std::optional<interpreter> match;
  bool present = false;  // the process runs CPython, even if it cannot be read
  std::string refusal;   // why the interpreter cannot be read
  bool over_budget = false;
  bool read_all_symbols = false;  // not only the exported symbols were searched
};

// Exported symbols are found by hash. Other symbols require a read of the symbol table.
enum class search_depth { exported, all };

interpreter_search find_interpreter(const procfs& proc, pid_t pid,
                                    process_reading::read_budget& budget,
                                    search_depth depth = search_depth::all);

// Formats Py_Version: 0x030b02f0 becomes 3.11.2.
std::string version_text(std::uint32_t version);

}  // namespace stallscope::python_frames
