#include "stages/stage_counts.hpp"

#include <numeric>
#include <span>
#include <utility>

namespace stallscope::stages {
namespace {

std::uint64_t total(std::span<const std::uint64_t> buckets) {
  return std::accumulate(buckets.begin(), buckets.end(), std::uint64_t{0});
}

// The bucket that holds this quantile; the number of buckets if all are empty.
std::size_t bucket_of(std::span<const std::uint64_t> buckets, double share) {
  const auto all = total(buckets);
  const auto target = std::max(1.0, share * static_cast<double>(all));
  std::uint64_t seen = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    seen += buckets[i];
    if (static_cast<double>(seen) >= target) {
      return i;
    }
  }
  return buckets.size();
}

}  // namespace

std::uint64_t stage_counts::batches_run() const { return total(batches); }

double stage_counts::average_batch() const {
  const auto all = batches_run();
  return all == 0 ? 0.0 : static_cast<double>(calls_executed) / static_cast<double>(all);
}

std::uint64_t stage_counts::batch_percentile(double share) const {
  const auto bucket = bucket_of(batches, share);
  if (bucket == batch_buckets) {
    return 0;
  }
  const auto smallest = std::uint64_t{1} << bucket;
  return bucket + 1 == batch_buckets ? smallest : 2 * smallest - 1;
}

std::uint64_t stage_counts::delay_percentile_ns(double share) const {
  const auto bucket = bucket_of(delays, share);
  if (bucket == delay_buckets || bucket == 0) {
    return 0;
  }
  const auto smallest = std::uint64_t{1} << (bucket - 1);
  return bucket + 1 == delay_buckets ? smallest : 2 * smallest - 1;
}

stage_counts stage_tally::counts(std::string name) const {
  stage_counts counts;
  counts.name = std::move(name);
  counts.calls_enqueued = enqueued.value();
  counts.calls_executed = executed.value();
  counts.calls_failed = failed.value();
  counts.tasks_scheduled = scheduled.value();
  counts.tasks_preempted = preempted.value();
  counts.inline_flushes = flushed_inline.value();
  for (std::size_t i = 0; i < batch_buckets; ++i) {
    counts.batches[i] = batches[i].value();
  }
  for (std::size_t i = 0; i < delay_buckets; ++i) {
    counts.delays[i] = delays[i].value();
  }
  return counts;
}

}  // namespace stallscope::stages
