#include "server/shards/disk_publisher.hpp"

#include "base/clock.hpp"

namespace stallscope::server {
namespace {

constexpr std::chrono::nanoseconds percentile_interval = std::chrono::seconds{1};

void publish_counts(disk_class_counters& to, const ioqueue::class_metrics& from) {
  const auto& read = from.by_direction[static_cast<std::size_t>(ioqueue::direction::read)];
  const auto& written = from.by_direction[static_cast<std::size_t>(ioqueue::direction::write)];
  to.reads.set(read.operations);
  to.writes.set(written.operations);
  to.read_bytes.set(read.bytes);
  to.written_bytes.set(written.bytes);
  to.failed.set(from.failed);
  to.queued.set(from.queued);
  to.executing.set(from.executing);
  to.limit_hits.set(from.limit_hits);
  to.starved_ns.set(from.starved_ns);
  to.queued_ns.set(from.queued_ns);
  to.executing_ns.set(from.executing_ns);
}

void publish_percentiles(disk_class_counters& to, const ioqueue::class_metrics& from) {
  to.delay_p50_ns.set(from.delay.value_at_percentile(50));
  to.delay_p99_ns.set(from.delay.value_at_percentile(99));
  to.total_p50_ns.set(from.total.value_at_percentile(50));
  to.total_p99_ns.set(from.total.value_at_percentile(99));
}

}  // namespace

disk_publisher::disk_publisher(const log_parts& parts, const value_log::recovery_report& recovery)
    : content_(parts.content),
      port_(parts.port),
      appender_(parts.newest),
      compactor_(parts.compaction) {
  counters_.recovered_records.set(recovery.records);
  counters_.cut_bytes.set(recovery.cut_bytes);
  counters_.damaged_bytes.set(recovery.damaged_bytes);
}

void disk_publisher::publish_sums(std::chrono::nanoseconds now) {
  const value_log::log_segments& segments = content_.segments();
  counters_.segments.set(segments.all().size());
  counters_.log_bytes.set(segments.bytes());
  counters_.dead_bytes.set(segments.dead_bytes());
  const bool direct = !segments.all().empty() && segments.all().rbegin()->second->direct;
  counters_.direct.set(direct ? 1 : 0);
  counters_.by_io_uring.set(port_.by_io_uring() ? 1 : 0);
  if (now - percentiles_at_ < percentile_interval) return;
  percentiles_at_ = now;
  for (std::size_t i = 0; i < counters_.classes.size(); ++i) {
    publish_percentiles(counters_.classes[i], port_.metrics(static_cast<value_log::io_class>(i)));
  }
}

void disk_publisher::publish(const command_counts& commands) {
  for (std::size_t i = 0; i < counters_.classes.size(); ++i) {
    publish_counts(counters_.classes[i], port_.metrics(static_cast<value_log::io_class>(i)));
  }
  counters_.counted_at_ns.set(monotonic_ns());
  counters_.keys.set(content_.index().size());
  counters_.index_bytes.set(content_.index().memory_bytes());
  counters_.batches.set(appender_.batches());
  counters_.write_failures.set(appender_.failures());
  const value_log::compaction_counts compaction = compactor_.counts();
  counters_.compaction_running.set(compactor_.running() ? 1 : 0);
  counters_.compaction_failures.set(compaction.failures);
  counters_.segments_removed.set(compaction.segments_removed);
  counters_.records_moved.set(compaction.records_moved);
  counters_.compaction_read_bytes.set(compaction.bytes_read);
  counters_.compaction_written_bytes.set(compaction.bytes_written);
  counters_.answered.set(commands.answered);
  counters_.cancelled_reads.set(commands.cancelled_reads);
  counters_.max_in_flight.set(port_.max_in_flight());
  counters_.hits.set(commands.hits);
  counters_.misses.set(commands.misses);
}

}  // namespace stallscope::server
