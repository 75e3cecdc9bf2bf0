// Reads perf.data, file or pipe mode, either byte order, compressed or not. Cost: some 0.5 us and
// 40 bytes a sample beside the unique stacks; where copied stacks are unwound, 16 bytes more a
// sample and the walk: the first pass skips the copies, the second reads what a walk needs of them.
// Any thread; one call uses one source.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <system_error>
#include <vector>

#include "capture/byte_source.hpp"
#include "capture/capture.hpp"
#include "capture/error.hpp"
#include "unwind/table.hpp"

namespace stallscope::capture {

struct read_options {
  bool allow_truncated = false;
  std::uint64_t memory_limit_bytes = std::uint64_t{1} << 30U;
  // Compressed data may grow to this many times its size (and 16 MiB), no further.
  std::uint64_t expansion_limit = 4096;
  // Mappings copied when forked processes change theirs, in all.
  std::uint64_t copied_mappings_limit = 50'000'000;
  // Copied stacks are unwound where this is set: the table of an object's code, nullptr where there
  // is none. Asked once an object, when a chain first runs into it; what it gives must stand until
  // the capture is read, and what it throws ends the reading.
  std::function<const unwind::table*(const object&)> unwind_table;
  // Stacks that cannot be read again (of pipes, of compressed records) wait in an unlinked file in
  // one of these directories (the first that can be written), which takes at most so many bytes
  // and nine tenths of what is free. Empty: $TMPDIR, else /var/tmp and /tmp.
  std::vector<std::string> temporary_directories;
  std::uint64_t temporary_limit_bytes = std::uint64_t{16} << 30U;
};

// The file in which stacks wait cannot be made, written or read.
class temporary_file_error : public std::system_error {
 public:
  temporary_file_error(int reason, const std::string& directory)
      : std::system_error(reason, std::generic_category(), directory), directory_(directory) {}
  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }

 private:
  std::string directory_;
};

// Throws capture_error with the offset where the bytes are not a whole and sound capture,
// std::system_error where they cannot be read.
capture read_capture(byte_source& source, const read_options& options);

}  // namespace stallscope::capture
