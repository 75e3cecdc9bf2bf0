// Reads a segment from its beginning to its end, for the start after whatever ended the server
// before. What is damaged is stepped over, as far as the next whole record. Behind the last whole
// one of a segment that was written to there is nothing, or what a write left that was not
// answered; a sealed one is full of records up to its end, and what is none is damage. Costs the
// reading of the segment and a hash of it; memory for a megabyte, or for its longest record. Blocks
// its thread.
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
  std::uint64_t end = block_bytes;    // of the last whole record; of a sealed segment: its own
  std::uint64_t tail_bytes = 0;       // behind it, of what is no record: to be cut off
  std::vector<damaged_part> damaged;  // before it
  // Blocks of zeros before it, of one that was written to: a write never came, or was lost.
  std::vector<damaged_part> gaps;
};

using record_visitor = std::function<void(const record&, std::uint64_t offset)>;

// Throws std::system_error, with its name and the place, where it cannot be read.
scanned_segment scan_segment(const segment_file& from, const std::string& name,
                             const store::hash_seed& secret, const record_visitor& visit);

}  // namespace stallscope::value_log
