#include "histogram/histogram.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>

namespace stallscope::histogram {
namespace {

constexpr unsigned max_digits = 5;
constexpr std::uint64_t highest_limit = std::uint64_t{1} << 62U;

// 2 * 10^digits values need separate counters; their number is rounded up to a power of two.
unsigned half_bits_of(unsigned digits) {
  if (digits < 1 || digits > max_digits) {
    throw std::invalid_argument("histogram: expected 1 to 5 significant digits");
  }
  std::uint64_t distinct = 2;
  for (unsigned i = 0; i < digits; ++i) distinct *= 10;
  return static_cast<unsigned>(std::bit_width(distinct - 1)) - 1;
}

// Buckets are added until they cover the highest value.
std::size_t counters_for(std::uint64_t highest, unsigned half_bits) {
  std::size_t buckets = 1;
  for (std::uint64_t beyond = std::uint64_t{2} << half_bits; beyond <= highest; beyond <<= 1U) {
    ++buckets;
  }
  return (buckets + 1) << half_bits;
}

}  // namespace

histogram::histogram(std::uint64_t highest, unsigned significant_digits)
    : highest_{highest},
      significant_digits_{significant_digits},
      half_bits_{half_bits_of(significant_digits)},
      mask_{(std::uint64_t{2} << half_bits_) - 1} {
  if (highest < 2 || highest > highest_limit) {
    throw std::invalid_argument("histogram: the highest value must be from 2 to 2^62");
  }
  counts_.resize(counters_for(highest, half_bits_));
}

std::uint64_t histogram::count() const noexcept {
  return std::accumulate(counts_.begin(), counts_.end(), std::uint64_t{0});
}

std::uint64_t histogram::value_at_percentile(double percentile) const noexcept {
  const double exact_rank =
      std::clamp(percentile, 0.0, 100.0) * static_cast<double>(count()) / 100.0;
  const auto rank =
      std::max<std::uint64_t>(1, static_cast<std::uint64_t>(std::llround(exact_rank)));
  std::uint64_t so_far = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    so_far += counts_[i];
    if (so_far >= rank) return percentile > 0 ? highest_at(i) : lowest_at(i);
  }
  return 0;
}

std::uint64_t histogram::max() const noexcept {
  const auto last = std::find_if(counts_.rbegin(), counts_.rend(), [](auto n) { return n != 0; });
  if (last == counts_.rend()) return 0;
  return highest_at(static_cast<std::size_t>(counts_.rend() - last) - 1);
}

double histogram::mean() const noexcept {
  double sum = 0;
  double total = 0;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    const auto times = static_cast<double>(counts_[i]);
    sum += times * (static_cast<double>(lowest_at(i)) + static_cast<double>(highest_at(i))) / 2;
    total += times;
  }
  return total > 0 ? sum / total : 0;
}

void histogram::add(const histogram& other) {
  if (other.highest_ != highest_ || other.significant_digits_ != significant_digits_) {
    throw std::invalid_argument("cannot add histograms of different ranges");
  }
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_[i] += other.counts_[i];
  clamped_ += other.clamped_;
}

void histogram::reset() noexcept {
  std::fill(counts_.begin(), counts_.end(), 0);
  clamped_ = 0;
}

histogram histogram::corrected(std::uint64_t expected_interval) const {
  histogram result = *this;
  if (expected_interval == 0) return result;
  for (std::size_t i = 0; i < counts_.size(); ++i) {
    if (counts_[i] == 0) continue;
    for (auto value = highest_at(i); value >= 2 * expected_interval;) {
      value -= expected_interval;
      result.record(value, counts_[i]);
    }
  }
  return result;
}

unsigned histogram::bucket_of(std::size_t index) const noexcept {
  const std::size_t half_buckets = index >> half_bits_;
  return half_buckets == 0 ? 0 : static_cast<unsigned>(half_buckets - 1);
}

std::uint64_t histogram::lowest_at(std::size_t index) const noexcept {
  const unsigned bucket = bucket_of(index);
  return (std::uint64_t{index} - (std::uint64_t{bucket} << half_bits_)) << bucket;
}

std::uint64_t histogram::highest_at(std::size_t index) const noexcept {
  return lowest_at(index) + (std::uint64_t{1} << bucket_of(index)) - 1;
}

}  // namespace stallscope::histogram
