// Counts of values in buckets whose width grows with the value (an HdrHistogram): every value up to
// `highest` is known to so many significant digits, whatever its size. Layout, index and percentile
// rule are those of HdrHistogram's C and Python implementations, so that all read each other's.
//
// record() costs an index computation (a bit scan, two shifts) and one increment, some 2 ns when
// the counter is in the cache; what latencies touch is a few lines. The memory is fixed: one hour
// in ns at 3 digits takes 33 * 1,024 counters of 8 bytes, 264 KiB. All other calls walk the
// counters, some 10 us. A histogram belongs to one thread at a time.
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stallscope::histogram {

class histogram {
 public:
  static constexpr std::uint64_t hour_ns = 3'600'000'000'000;

  // Values from 1 to `highest`, each known to 1 to 5 significant digits. Throws
  // std::invalid_argument for others, and where `highest` is less than 2 or more than 2^62.
  explicit histogram(std::uint64_t highest = hour_ns, unsigned significant_digits = 3);

  // What is greater than `highest` counts as `highest`, and in clamped().
  void record(std::uint64_t value, std::uint64_t times = 1) noexcept {
    if (value > highest_) [[unlikely]] {
      clamped_ += times;
      value = highest_;
    }
    counts_[index_of(value)] += times;
  }

  [[nodiscard]] std::uint64_t count() const noexcept;
  [[nodiscard]] std::uint64_t clamped() const noexcept { return clamped_; }
  // The value, as its bucket's upper end, that this percentage of all values does not exceed; the
  // rank is rounded to the nearest, and is 1 at least. 0 where nothing was recorded.
  [[nodiscard]] std::uint64_t value_at_percentile(double percentile) const noexcept;
  // The upper end of the highest bucket that holds a value; 0 where nothing was recorded.
  [[nodiscard]] std::uint64_t max() const noexcept;

  // Adds the other's counts; std::invalid_argument where its range or digits are others.
  void add(const histogram& other);
  void reset() noexcept;

  // A copy corrected for coordinated omission: each value v above the interval at which values
  // were expected brings with it those that were omitted, v - interval, v - 2 * interval, ... down
  // to the interval. Walks all counters, and as many steps as values are added for each of them.
  [[nodiscard]] histogram corrected(std::uint64_t expected_interval) const;

  [[nodiscard]] std::uint64_t highest() const noexcept { return highest_; }
  [[nodiscard]] unsigned significant_digits() const noexcept { return significant_digits_; }
  [[nodiscard]] std::span<const std::uint64_t> counts() const noexcept { return counts_; }
  // The lowest and the highest value that are counted at that index.
  [[nodiscard]] std::uint64_t lowest_at(std::size_t index) const noexcept;
  [[nodiscard]] std::uint64_t highest_at(std::size_t index) const noexcept;

 private:
  // A bucket has 2^half_bits_ counters (the first one twice as many), each twice as wide as those
  // of the bucket before.
  [[nodiscard]] std::size_t index_of(std::uint64_t value) const noexcept {
    const auto bits = static_cast<unsigned>(std::bit_width(value | mask_));
    const unsigned bucket = bits - half_bits_ - 1;
    return (std::size_t{bucket} << half_bits_) + static_cast<std::size_t>(value >> bucket);
  }
  [[nodiscard]] unsigned bucket_of(std::size_t index) const noexcept;

  std::uint64_t highest_;
  unsigned significant_digits_;
  unsigned half_bits_;
  std::uint64_t mask_;
  std::uint64_t clamped_ = 0;
  std::vector<std::uint64_t> counts_;
};

}  // namespace stallscope::histogram
