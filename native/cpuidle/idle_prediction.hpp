// What all versions of the menu governor predict from: buckets by the next timer, and the spread of
// the last idle intervals. Costs some 20 ns; no state is kept. Used by menu.cpp and menu_4_9.cpp.
//
// Licence note: the rules and constants follow drivers/cpuidle/governors/menu.c of the Linux kernel
// (GPL-2.0). They are re-implemented here from a description of that file; no kernel source text is
// copied.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>

namespace stallscope::cpuidle::idle_prediction {

inline constexpr std::int64_t us = 1000;
inline constexpr std::uint64_t resolution = 1024;
inline constexpr std::uint64_t decay = 8;
inline constexpr std::uint64_t history = 8;  // number of intervals considered
inline constexpr std::size_t timer_buckets = 6;
inline constexpr std::int64_t max_interesting_ns = 50'000 * us;
inline constexpr std::uint32_t no_typical_us = std::numeric_limits<std::uint32_t>::max();

// Order of magnitude of the time to the next timer: below 10 us, 100 us, and so on to 100 ms.
[[nodiscard]] std::size_t bucket_of(std::int64_t timer_ns);

// Statistics of the intervals that remain after outliers are dropped.
struct spread {
  std::uint64_t count = 0;
  std::uint64_t average = 0;
  std::uint64_t variance = 0;
  std::uint32_t least = no_typical_us;
  std::uint32_t most = 0;

  [[nodiscard]] bool is_typical() const;
};

// Statistics of the intervals between `from` and `to`. `exact`: the variance sums squared
// deviations, as up to 6.14, which rounds differently from a sum of squares.
[[nodiscard]] spread spread_of(std::span<const std::uint32_t> values, std::int64_t from,
                               std::int64_t to, bool exact);

}  // namespace stallscope::cpuidle::idle_prediction
