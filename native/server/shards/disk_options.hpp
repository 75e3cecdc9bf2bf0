// Options of the path `disk`. Validated by the command line.
#pragma once

#include <cstdint>
#include <string>

namespace stallscope::server {

struct disk_options {
  std::string directory;  // empty: unnamed files that disappear with the process
  std::uint64_t segment_bytes = std::uint64_t{64} << 20U;
  bool durable = false;     // writes are acknowledged after a sync
  std::uint64_t limit = 8;  // requests in flight on the disk; 0: no limit
  std::uint32_t query_shares = 1000;
  std::uint32_t compaction_shares = 100;
  // values being read at the same time, per shard
  std::uint64_t read_bytes = std::uint64_t{64} << 20U;
};

}  // namespace stallscope::server
