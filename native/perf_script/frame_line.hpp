// A frame in the text of `perf script`, and its name in folded stacks.
//
//   \tffffffff8103ce3b native_safe_halt+0x12 ([kernel.kallsyms])
//
// The names are those of stackcollapse-perf: no argument list, no quotes, `:` instead of `;`, the
// file in brackets instead of an unknown symbol, and "a->b" for b inlined into a. No allocation
// while the text of a name is unchanged.
#pragma once

#include <optional>
#include <string>
#include <string_view>

namespace stallscope::perf_script {

struct frame_line {
  std::string_view address;
  std::string_view symbol;  // without the offset
  std::string_view file;    // "[kernel.kallsyms]", a path, "[unknown]", "inlined", ...
  std::string_view offset;  // to the begin of the symbol, hexadecimal; empty if the line has none
};

// Returns the fields of a line, or nothing if it is not a frame.
std::optional<frame_line> parse_frame_line(std::string_view line);

struct name_style {
  bool shorten = true;     // as stackcollapse-perf; otherwise the symbol as it is
  bool kernel = false;     // "_[k]" after functions of the kernel
  bool jit = false;        // "_[j]" after functions of /tmp/perf-PID.map
  bool addresses = false;  // "[file <address>]" for an unknown symbol
};

// Returns the name of a function of a frame. `function` is the symbol, or a part of it if functions
// are inlined (`inlined`: not the first part). `in_java`: the command's name begins with "java".
std::string function_name(const frame_line& frame, std::string_view function, bool inlined,
                          bool in_java, const name_style& style);

}  // namespace stallscope::perf_script
