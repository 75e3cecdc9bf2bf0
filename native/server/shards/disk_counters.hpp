// Counters of the log and the disk queue of a shard, for INFO and the metrics. Written by the
// thread of the shard, read by any. Levels are those of the last turn; percentiles are at most one
// second old.
#pragma once

#include <array>

#include "server/shards/shard_counters.hpp"
#include "value_log/io_port.hpp"

namespace stallscope::server {

struct disk_class_counters {
  gauge reads;
  gauge writes;
  gauge read_bytes;
  gauge written_bytes;
  gauge failed;
  gauge queued;
  gauge executing;
  gauge limit_hits;
  gauge starved_ns;  // time with queued requests and none on the disk
  gauge queued_ns;   // integrals over time: requests times ns
  gauge executing_ns;
  gauge delay_p50_ns;
  gauge delay_p99_ns;
  gauge total_p50_ns;
  gauge total_p99_ns;
};

struct alignas(64) disk_counters {
  std::array<disk_class_counters, value_log::io_class_names.size()> classes;
  gauge keys;
  gauge index_bytes;
  gauge segments;
  gauge log_bytes;
  gauge dead_bytes;
  gauge batches;
  gauge write_failures;
  gauge recovered_records;
  gauge cut_bytes;
  gauge damaged_bytes;
  gauge compaction_running;
  gauge compaction_failures;
  gauge segments_removed;
  gauge records_moved;
  gauge compaction_read_bytes;
  gauge compaction_written_bytes;
  gauge counted_at_ns;  // CLOCK_MONOTONIC
  gauge answered;
  gauge cancelled_reads;
  gauge max_in_flight;
  gauge by_io_uring;
  gauge direct;
  gauge hits;
  gauge misses;
};

}  // namespace stallscope::server
