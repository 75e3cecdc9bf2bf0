// Reads perf.data in file or pipe mode, either byte order, compressed or not. Costs some 0.5 us and
// 40 bytes per sample besides the unique stacks. Unwinding copied stacks costs 16 bytes more per
// sample and the walk: the first pass skips the copies, the second reads the part that a walk
// needs. Any thread; concurrent calls need separate sources.
//
//   file_source source{"perf.data"};
//   const capture result = read_capture(source, {});
#pragma once

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <system_error>
#include <unordered_map>
#include <vector>

#include "capture/byte_source.hpp"
#include "capture/capture.hpp"
#include "capture/error.hpp"
#include "unwind/table.hpp"
#include "unwind/unwinder.hpp"

namespace stallscope::capture {

// The managed frames of samples by time, as read from their processes.
struct managed_samples {
  std::vector<std::uint64_t> time_ns;  // ascending
  std::vector<std::int32_t> tid;
  std::vector<std::uint64_t> offset;  // first run of each sample, and the end
  std::vector<unwind::managed_run> runs;

  // Returns the runs of a thread's sample; empty if there are none.
  [[nodiscard]] std::span<const unwind::managed_run> of(std::uint64_t at_ns,
                                                        std::int32_t thread) const;
};

// The interpreter of a process, and the code that it runs. A program counter may be behind the last
// instruction of its code.
struct interpreter {
  struct code {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
    std::uint64_t number = 0;
  };
  unwind::interpreter_loop loop;
  std::vector<code> codes{};  // ascending, disjoint

  // Returns the number of the code; nullopt if there is none at this address.
  [[nodiscard]] std::optional<std::uint64_t> number_at(std::uint64_t counter) const;
};

struct read_options {
  bool allow_truncated = false;
  std::uint64_t memory_limit_bytes = std::uint64_t{1792} << 20U;  // 50 million samples
  // The largest expansion of compressed data; the first 16 MiB are always allowed.
  std::uint64_t expansion_limit = 4096;
  // Limit of the mappings that are copied when forked processes change theirs.
  std::uint64_t copied_mappings_limit = 50'000'000;
  // If set, copied stacks are unwound. Returns the table of an object's code, or nullptr. Called
  // once per object, when a chain first reaches it. The table must stay valid until the capture is
  // read. An exception ends the reading.
  std::function<const unwind::table*(const object&)> unwind_table;
  managed_samples managed;
  std::unordered_map<std::int32_t, interpreter> interpreters{};  // by pid
  // Stacks that cannot be read again (of pipes, of compressed records) are kept in an unlinked file
  // in the first writable directory of this list. The file uses at most temporary_limit_bytes and
  // 90 % of the free space. Empty: $TMPDIR, otherwise /var/tmp and /tmp.
  std::vector<std::string> temporary_directories;
  std::uint64_t temporary_limit_bytes = std::uint64_t{16} << 30U;
};

// The temporary file for stacks cannot be created, written or read.
class temporary_file_error : public std::system_error {
 public:
  temporary_file_error(int reason, const std::string& directory)
      : std::system_error(reason, std::generic_category(), directory), directory_(directory) {}
  [[nodiscard]] const std::string& directory() const noexcept { return directory_; }

 private:
  std::string directory_;
};

// Throws capture_error with the offset if the capture is incomplete or invalid, std::system_error
// if it cannot be read.
capture_content read_capture(byte_source& source, const read_options& options);

}  // namespace stallscope::capture
