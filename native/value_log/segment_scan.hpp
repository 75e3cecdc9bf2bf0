// Reads a segment from start to end, for recovery. Damage is skipped up to the next whole record.
// Behind the last whole record of an unsealed segment there is at most an unacknowledged write; a
// sealed segment contains records up to its end, and anything else is damage.
//
// Cost: reading and hashing the segment; memory for a megabyte or the longest record. Blocks the
// thread.
#pragma once

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "store/key_hash.hpp"
#include "value_log/data_directory.hpp"
#include "value_log/record.hpp"

namespace stallscope::value_log {

struct damaged_part {
  std::uint64_t from;
  std::uint64_t to;
};

struct scanned_segment {
  std::uint64_t end = block_bytes;    // end of the last whole record, or of the sealed segment
  std::uint64_t tail_bytes = 0;       // bytes behind it that are not a record, to be cut off
  std::vector<damaged_part> damaged;  // damage before `end`
  // Blocks of zeros before `end` in an unsealed segment: a missing or lost write.
  std::vector<damaged_part> gaps;
};

using record_visitor = std::function<void(const record&, std::uint64_t offset)>;

// Throws std::system_error with the name and offset if the segment cannot be read.
scanned_segment scan_segment(const segment_file& from, const std::string& name,
                             const store::hash_seed& secret, const record_visitor& visit);

}  // namespace stallscope::value_log
