// Fills a shard's index from the segments that are there at the start, whatever ended the server
// before. Of one that was still written to, a tail that is no record is cut off, as a write that
// was not finished. All else that is no record is damage: it is stepped over and left where it is,
// as is a segment that lost its first block and that no other tells how to read. All are told.
// Takes the time to read the segments; blocks its thread.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "value_log/log_content.hpp"

namespace stallscope::value_log {

struct recovery_report {
  std::uint64_t segments = 0;
  std::uint64_t records = 0;
  std::uint64_t cut_bytes = 0;
  std::uint64_t damaged_bytes = 0;
  std::vector<std::string> messages;  // one line each
};

// Throws std::system_error where a segment cannot be read, std::invalid_argument where one is not
// ours.
recovery_report recover(log_content& content);

}  // namespace stallscope::value_log
