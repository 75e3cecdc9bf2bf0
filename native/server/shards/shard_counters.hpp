// What a shard has done and what it holds, for INFO and the metrics. Written by the shard's thread
// (an ordinary load and store each), read by any: each number is true by itself, together they are
// not of one instant.
#pragma once

#include <atomic>
#include <cstdint>

#include "stages/stage_counts.hpp"

namespace stallscope::server {

using stages::tally;

// A level that its thread sets and any reads.
class gauge {
 public:
  void set(std::uint64_t level) noexcept { level_.store(level, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return level_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> level_{0};
};

struct alignas(64) shard_counters {
  tally requests;
  tally errors;  // replies that are errors, broken requests too
  tally bytes_read;
  tally bytes_written;
  tally connections_opened;
  tally connections_closed;
  tally crossed;    // parts of requests sent to other shards
  tally throttled;  // times a client was not read from because it did not take its replies
  tally cut_off;    // connections closed for their size or for taking nothing
  gauge buffered_bytes;
  // Of the keyspace, as the last turn left it.
  gauge keys;
  gauge volatile_keys;
  gauge mean_ttl_ms;
  gauge memory_bytes;
  gauge hits;
  gauge misses;
  gauge expired;
  gauge evicted;
};

}  // namespace stallscope::server
