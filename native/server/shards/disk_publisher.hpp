// Publishes the state of the log and the disk queue of a shard to its disk_counters, which any
// thread may read for INFO and the metrics.
//
//   disk_publisher publisher({content, port, newest, compaction}, recovery_report);
//   publisher.publish(counts);             // once per turn
//   publisher.publish_sums(loop.now());    // about ten times per second
//
// Cost: publish() is some fifty stores; publish_sums() walks over the segments and, once per
// second, over the histograms. Thread: that of the shard; counters() may be read by any.
#pragma once

#include <chrono>
#include <cstdint>

#include "server/shards/disk_counters.hpp"
#include "value_log/appender.hpp"
#include "value_log/compactor.hpp"
#include "value_log/disk_port.hpp"
#include "value_log/log_content.hpp"
#include "value_log/recovery.hpp"

namespace stallscope::server {

struct command_counts {
  std::uint64_t answered = 0;
  std::uint64_t hits = 0;
  std::uint64_t misses = 0;
  std::uint64_t cancelled_reads = 0;
};

class disk_publisher {
 public:
  // All outlive the publisher.
  struct log_parts {
    const value_log::log_content& content;
    value_log::disk_port& port;
    const value_log::appender& newest;
    const value_log::compactor& compaction;
  };
  disk_publisher(const log_parts& parts, const value_log::recovery_report& recovery);

  void publish(const command_counts& commands);
  void publish_sums(std::chrono::nanoseconds now);
  // When percentiles were last published.
  [[nodiscard]] std::chrono::nanoseconds percentiles_at() const noexcept { return percentiles_at_; }
  [[nodiscard]] const disk_counters& counters() const noexcept { return counters_; }

 private:
  disk_counters counters_;  // first, because it is aligned to a cache line
  const value_log::log_content& content_;
  value_log::disk_port& port_;
  const value_log::appender& appender_;
  const value_log::compactor& compactor_;
  std::chrono::nanoseconds percentiles_at_{};
};

}  // namespace stallscope::server
