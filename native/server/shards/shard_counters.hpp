// Counters and levels of a shard for INFO and the metrics. Written by the thread of the shard (a
// plain load and store each), read by any thread: each number is exact, but a set of numbers is not
// a snapshot of one instant.
#pragma once

#include <atomic>
#include <cstdint>

#include "stages/stage_counts.hpp"

namespace stallscope::server {

using stages::tally;

// A level that one thread sets and any thread reads.
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
  tally errors;  // error replies, including protocol errors
  tally bytes_read;
  tally bytes_written;
  tally connections_opened;
  tally connections_closed;
  tally crossed;    // parts of requests sent to other shards
  tally throttled;  // times that reading from a client paused because it did not read its replies
  tally cut_off;    // connections closed for exceeding a limit or stalling
  gauge buffered_bytes;
  // State of the keyspace at the end of the last turn.
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
