// Counters of a stage. The thread of the stage writes a stage_tally (a plain load, add and store
// per event); any thread may read it. Each number is exact; a set of numbers is not a snapshot of
// one instant.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stallscope::stages {

// Bucket i counts batches of 2^i to 2^(i+1) - 1 calls; the last bucket is unbounded.
inline constexpr std::size_t batch_buckets = 11;
// Bucket 0 counts delays of 0 ns; bucket i counts delays from 2^(i-1) ns to 2^i - 1 ns; the last
// bucket (from 275 s) is unbounded.
inline constexpr std::size_t delay_buckets = 40;

struct stage_counts {
  std::string name;
  std::uint64_t calls_enqueued = 0;  // as of the start of the last batch
  std::uint64_t calls_executed = 0;
  std::uint64_t calls_failed = 0;  // executed calls that threw
  std::uint64_t tasks_scheduled = 0;
  std::uint64_t tasks_preempted = 0;  // the quota ended before the queue was empty
  std::uint64_t inline_flushes = 0;   // caused by a queue at its limit
  std::array<std::uint64_t, batch_buckets> batches{};
  std::array<std::uint64_t, delay_buckets> delays{};

  // Batches: tasks, inline flushes and single calls that ran immediately.
  [[nodiscard]] std::uint64_t batches_run() const;
  // Calls per batch; 0 before the first batch.
  [[nodiscard]] double average_batch() const;
  // The largest value of the bucket that holds this quantile (0..1) of the batches or delays: exact
  // to a factor of two. 0 before the first batch; the smallest value of the last, unbounded bucket.
  [[nodiscard]] std::uint64_t batch_percentile(double share) const;
  [[nodiscard]] std::uint64_t delay_percentile_ns(double share) const;
};

// A counter that one thread increments and any thread reads.
class tally {
 public:
  void add(std::uint64_t more) noexcept {
    count_.store(count_.load(std::memory_order_relaxed) + more, std::memory_order_relaxed);
  }
  void set(std::uint64_t count) noexcept { count_.store(count, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t value() const noexcept {
    return count_.load(std::memory_order_relaxed);
  }

 private:
  std::atomic<std::uint64_t> count_{0};
};

struct stage_tally {
  tally enqueued;
  tally executed;
  tally failed;
  tally scheduled;
  tally preempted;
  tally flushed_inline;
  std::array<tally, batch_buckets> batches;
  std::array<tally, delay_buckets> delays;

  void batch(std::uint64_t calls) noexcept {
    const auto width = static_cast<std::size_t>(std::bit_width(calls));
    batches[std::min(width, batch_buckets) - 1].add(1);
  }
  // A clock that went backwards counts as no delay.
  void delay(std::int64_t delay_ns, std::uint64_t calls) noexcept {
    const auto positive = static_cast<std::uint64_t>(std::max<std::int64_t>(delay_ns, 0));
    const auto width = static_cast<std::size_t>(std::bit_width(positive));
    delays[std::min(width, delay_buckets - 1)].add(calls);
  }
  [[nodiscard]] stage_counts counts(std::string name) const;
};

}  // namespace stallscope::stages
