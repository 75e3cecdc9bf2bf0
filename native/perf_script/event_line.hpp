// The first line of a sample in the text of `perf script`:
//
//   V8 WorkerThread 24636/25607 [000] 94564.109216:     250000 cycles:u:
//
// The fields depend on the options of perf script. The command may contain blanks and numbers, so
// the first number after a blank that is followed by a blank is the thread, as in
// stackcollapse-perf.
#pragma once

#include <cstdint>
#include <optional>
#include <string_view>

namespace stallscope::perf_script {

struct event_line {
  std::string_view command;
  std::string_view process;  // empty if the line has the thread only
  std::string_view thread;
  std::string_view event;                // empty if the line does not end with the name of an event
  std::optional<std::uint64_t> period;   // none if the line has none, or 0
  std::optional<std::uint64_t> time_ns;  // none if the line has none
};

// Returns the fields of a line, or nothing if it is not the first line of a sample.
std::optional<event_line> parse_event_line(std::string_view line);

}  // namespace stallscope::perf_script
