// Reads a segment from its beginning to its end, for the start after whatever ended the server
// before. What is damaged is stepped over, as far as the next whole record; behind the last whole
// one there is nothing, or what a write left that was not answered. Costs the reading of the
// segment and a hash of it; memory for a megabyte, or for its longest record. Blocks its thread.
#pragma once

#include <cstdint>
#include <functional>
#include <vector>

#include "stallscope/store/key_hash.hpp"
#include "stallscope/value_log/aligned_memory.hpp"
#include "stallscope/value_log/record.hpp"

namespace stallscope::value_log {

struct damaged_part {
  std::uint64_t from;
  std::uint64_t to;
};

struct scanned_segment {
  std::uint64_t end = block_bytes;    // of the last whole record
  std::uint64_t tail_bytes = 0;       // behind it, of what is no record: to be cut off
  std::vector<damaged_part> damaged;  // between records
};

using record_visitor = std::function<void(const record&, std::uint64_t offset)>;

// `bytes` of the file. Throws std::system_error where it cannot be read.
scanned_segment scan_segment(int file, std::uint64_t bytes, const store::hash_seed& secret,
                             const record_visitor& visit);

}  // namespace stallscope::value_log
