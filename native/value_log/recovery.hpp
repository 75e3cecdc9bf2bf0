// Rebuilds the index of a shard from its segments after any kind of shutdown. In an unsealed
// segment, a tail that is not a record is an unfinished write and is cut off. Everything else that
// is not a record is damage: recovery skips it, leaves it in place and reports it. The same holds
// for a segment whose first block is lost if no other segment provides the secret. Blocks the
// thread for the time it takes to read the segments.
//
//     recovery_report report = recover(content);
//     for (const std::string& message : report.messages) log(message);
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
  std::vector<std::string> messages;  // one line per event
};

// Throws std::system_error if a segment cannot be read and std::invalid_argument if it belongs to
// another store.
recovery_report recover(log_content& content);

}  // namespace stallscope::value_log
