#include "server/shards/disk_totals.hpp"

#include <algorithm>

#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {
namespace {

using enum number_kind;
using enum number_merge;
using whole = disk_counters;
using per_class = disk_class_counters;

constexpr std::array numbers{
    disk_number{"segments", level, sum, "Segments of the log.", &whole::segments},
    disk_number{"log_bytes", level, sum, "Size of all segments.", &whole::log_bytes},
    disk_number{"dead_bytes", level, sum, "Bytes that compaction can free.", &whole::dead_bytes},
    disk_number{"batches", counter, sum, "Batches of records written.", &whole::batches},
    disk_number{"write_failures", counter, sum, "Batches that the disk failed to write.",
                &whole::write_failures},
    disk_number{"recovered_records", level, sum, "Records read at the start.",
                &whole::recovered_records},
    disk_number{"cut_bytes", level, sum, "Bytes of unfinished writes cut off at the start.",
                &whole::cut_bytes},
    disk_number{"damaged_bytes", level, sum, "Damaged bytes at the start.", &whole::damaged_bytes},
    disk_number{"compaction_running", level, sum, "Shards that are compacting.",
                &whole::compaction_running},
    disk_number{"compaction_failures", counter, sum, "Failed compactions.",
                &whole::compaction_failures},
    disk_number{"compaction_segments_removed", counter, sum, "Segments removed by compaction.",
                &whole::segments_removed},
    disk_number{"compaction_records_moved", counter, sum, "Records moved by compaction.",
                &whole::records_moved},
    disk_number{"compaction_read_bytes", counter, sum, "Bytes read by compaction.",
                &whole::compaction_read_bytes},
    disk_number{"compaction_written_bytes", counter, sum, "Bytes written by compaction.",
                &whole::compaction_written_bytes},
    disk_number{"counted_at_ns", level, largest,
                "Time of these counters, by the kernel's monotonic clock.", &whole::counted_at_ns},
    disk_number{"answered", counter, sum, "Answered commands on values and on all keys.",
                &whole::answered},
    disk_number{"cancelled_reads", counter, sum,
                "Reads cancelled because their client disconnected.", &whole::cancelled_reads},
    disk_number{"max_in_flight", level, sum,
                "Largest number of requests on the disk at once, summed over threads.",
                &whole::max_in_flight},
    disk_number{"io_uring", level, least,
                "1 if all shards use io_uring, 0 if one uses blocking calls.", &whole::by_io_uring},
    disk_number{"direct", level, least, "1 if files bypass the page cache.", &whole::direct},
};

constexpr std::array class_numbers{
    disk_class_number{"reads", counter, sum, "Completed reads.", &per_class::reads},
    disk_class_number{"writes", counter, sum, "Completed writes.", &per_class::writes},
    disk_class_number{"read_bytes", counter, sum, "Bytes read.", &per_class::read_bytes},
    disk_class_number{"written_bytes", counter, sum, "Bytes written.", &per_class::written_bytes},
    disk_class_number{"failed", counter, sum, "Failed requests.", &per_class::failed},
    disk_class_number{"queued", level, sum, "Requests in the queue.", &per_class::queued},
    disk_class_number{"executing", level, sum, "Requests on the disk.", &per_class::executing},
    disk_class_number{"limit_hits", counter, sum, "Times that a request waited for the limit.",
                      &per_class::limit_hits},
    disk_class_number{"starved_ns", counter, sum, "Time with requests queued and none on the disk.",
                      &per_class::starved_ns},
    disk_class_number{"queued_ns", counter, sum, "Requests in the queue, summed over time.",
                      &per_class::queued_ns},
    disk_class_number{"executing_ns", counter, sum, "Requests on the disk, summed over time.",
                      &per_class::executing_ns},
    disk_class_number{"delay_p50_ns", level, largest, "Median time in the queue.",
                      &per_class::delay_p50_ns},
    disk_class_number{"delay_p99_ns", level, largest, "99th percentile of the time in the queue.",
                      &per_class::delay_p99_ns},
    disk_class_number{"total_p50_ns", level, largest, "Median time in the queue and on the disk.",
                      &per_class::total_p50_ns},
    disk_class_number{"total_p99_ns", level, largest,
                      "99th percentile of the time in the queue and on the disk.",
                      &per_class::total_p99_ns},
};

template <typename number, typename take>
std::uint64_t total(const shared_server& server, const number& of, const take& value_of) {
  std::uint64_t so_far = 0;
  bool first = true;
  for (const auto& owner_shard : server.shards()) {
    const std::uint64_t value = value_of(owner_shard->disk()->counters());
    if (first || of.merge == sum) {
      so_far += value;
    } else {
      so_far = of.merge == largest ? std::max(so_far, value) : std::min(so_far, value);
    }
    first = false;
  }
  return so_far;
}

}  // namespace

std::span<const disk_number> disk_numbers() { return numbers; }
std::span<const disk_class_number> disk_class_numbers() { return class_numbers; }

std::uint64_t total_of(const shared_server& server, const disk_number& number) {
  return total(server, number,
               [&](const disk_counters& counts) { return (counts.*number.of).value(); });
}

std::uint64_t total_of(const shared_server& server, const disk_class_number& number,
                       std::size_t io_class) {
  return total(server, number, [&](const disk_counters& counts) {
    return (counts.classes[io_class].*number.of).value();
  });
}

}  // namespace stallscope::server
