// How the path `disk` keeps its values. Checked by whoever makes them.
#pragma once

#include <cstdint>
#include <string>

namespace stallscope::server {

struct disk_options {
  std::string directory;  // empty: files without a name, gone at the end
  std::uint64_t segment_bytes = std::uint64_t{64} << 20U;
  bool durable = false;     // a reply to a write waits until it outlives a loss of power
  std::uint64_t limit = 8;  // requests on the disk at once; 0: none
  std::uint32_t query_shares = 1000;
  std::uint32_t compaction_shares = 100;
  std::uint64_t read_bytes = std::uint64_t{64} << 20U;  // of values being read, a shard
};

}  // namespace stallscope::server
