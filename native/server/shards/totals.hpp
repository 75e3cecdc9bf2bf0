// Sums of the counters of all shards, and resource use of the process. Any thread.
#pragma once

#include <cstdint>
#include <vector>

#include "stages/stage_counts.hpp"

namespace stallscope::server {

class shared_server;

struct shard_totals {
  std::uint64_t requests = 0;
  std::uint64_t errors = 0;
  std::uint64_t bytes_read = 0;
  std::uint64_t bytes_written = 0;
  std::uint64_t connections_opened = 0;
  std::uint64_t crossed = 0;
  std::uint64_t throttled = 0;
  std::uint64_t cut_off = 0;
  std::uint64_t buffered_bytes = 0;
  std::uint64_t keys = 0;
  std::uint64_t volatile_keys = 0;
  std::uint64_t mean_ttl_ms = 0;  // over keys with an expiry, weighted by their number
  std::uint64_t memory_bytes = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t expired = 0;
  std::uint64_t evicted = 0;
};

struct process_cpu {
  double user_s = 0;
  double system_s = 0;
};

shard_totals totals_of(const shared_server& server);
// Stages with the same name on several shards are added up.
std::vector<stages::stage_counts> stages_of(const shared_server& server);
process_cpu cpu_of_process();
std::uint64_t resident_bytes();  // 0 if unknown

}  // namespace stallscope::server
