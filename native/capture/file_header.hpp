// The start of a capture: its format, byte order and the positions of its parts. One thread.
#pragma once

#include <cstdint>
#include <vector>

#include "capture/event_table.hpp"
#include "capture/record_stream.hpp"
#include "capture/source_window.hpp"

namespace stallscope::capture {

struct file_start {
  bool pipe = false;
  bool swap = false;
  bool big_endian = false;
  stream_range records;
  std::vector<std::uint64_t> features;  // numbers, in the order of their sections; file mode only
};

// Reads the header and, in file mode, the attributes. Throws capture_error if it is not a capture.
file_start read_file_start(source_window& window, event_table& events, bool allow_truncated);

}  // namespace stallscope::capture
