#include "cpuidle/idle_prediction.hpp"

#include <algorithm>

namespace stallscope::cpuidle::idle_prediction {

std::size_t bucket_of(std::int64_t timer_ns) {
  std::size_t bucket = 0;
  for (std::int64_t end = 10 * us; bucket < 5 && timer_ns >= end; end *= 10) {
    ++bucket;
  }
  return bucket;
}

bool spread::is_typical() const {
  constexpr std::uint64_t largest_variance = std::numeric_limits<std::uint64_t>::max() / 36;
  return variance <= largest_variance &&
         ((average * average > 36 * variance && 4 * count >= 3 * history) || variance <= 400);
}

spread spread_of(std::span<const std::uint32_t> values, std::int64_t from, std::int64_t to,
                 bool exact) {
  spread result;
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;
  const auto remains = [&](std::uint32_t value) { return value >= from && value <= to; };
  for (const std::uint32_t value : values) {
    if (remains(value)) {
      ++result.count;
      sum += value;
      squares += std::uint64_t{value} * value;
      result.least = std::min(result.least, value);
      result.most = std::max(result.most, value);
    }
  }
  if (result.count == 0) {
    return result;
  }
  result.average = sum / result.count;
  if (!exact) {
    result.variance = squares / result.count - result.average * result.average;
    return result;
  }
  for (const std::uint32_t value : values) {
    if (remains(value)) {
      // Unsigned: squares of deviations beyond 32 bits wrap, as in the kernel.
      const std::uint64_t deviation = std::uint64_t{value} - result.average;
      result.variance += deviation * deviation;
    }
  }
  result.variance /= result.count;
  return result;
}

}  // namespace stallscope::cpuidle::idle_prediction
