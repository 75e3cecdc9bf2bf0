// Options of the path `disk`. Validated by the command line.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "ioqueue/cost.hpp"
#include "value_log/record.hpp"

namespace stallscope::server {

struct disk_options {
  std::string directory;  // empty: unnamed files that disappear with the process
  std::uint64_t segment_bytes = std::uint64_t{64} << 20U;
  bool durable = false;  // writes are acknowledged after a sync
  value_log::checksum_check read_check = value_log::checksum_check::verify;
  // Requests in flight on the disk; of the whole process, or of one shard after part_of_shard().
  // 0: no limit.
  std::uint64_t limit = 8;
  // Rates of the disk, from which the cost of a request follows; empty: every request costs 1.
  std::optional<ioqueue::device_rates> rates;
  std::uint32_t query_shares = 1000;
  std::uint32_t compaction_shares = 100;
  // values being read at the same time, per shard
  std::uint64_t read_bytes = std::uint64_t{64} << 20U;
};

// The options of one shard: the limit is divided, so that the limits of all shards add up to that
// of the process, unless it is below their number: every shard needs one request.
inline disk_options part_of_shard(disk_options process, std::size_t shard, std::size_t shards) {
  const std::uint64_t limit = process.limit;
  if (limit == 0) return process;
  process.limit = std::max<std::uint64_t>(1, limit / shards + (shard < limit % shards ? 1 : 0));
  return process;
}

}  // namespace stallscope::server
