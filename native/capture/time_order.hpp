// Sorting columns by time. Costs 4 bytes per row, and a copy of the column that is reordered. The
// file's order is kept for equal times. One thread.
//
//   const auto order = time_order(times, budget);
//   reorder(times, order, budget);
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <span>

#include "capture/column.hpp"

namespace stallscope::capture {

// Returns the rows sorted by time.
inline column<std::uint32_t> time_order(const column<std::uint64_t>& times, memory_budget& budget) {
  column<std::uint32_t> order(budget);
  order.resize(times.size(), 0);
  std::iota(order.data(), order.data() + order.size(), 0U);
  const auto values = times.values();
  if (!std::is_sorted(values.begin(), values.end())) {
    std::stable_sort(
        order.data(), order.data() + order.size(),
        [values](std::uint32_t left, std::uint32_t right) { return values[left] < values[right]; });
  }
  return order;
}

template <typename T>
void reorder(column<T>& values, const column<std::uint32_t>& order, memory_budget& budget) {
  column<T> sorted(budget);
  sorted.resize(values.size(), T{});
  for (std::size_t row = 0; row < order.size(); ++row) {
    sorted[row] = values[order[row]];
  }
  budget.release(values.size() * sizeof(T));
  values.swap(sorted);
}

template <typename T>
void reorder(uniform_column<T>& values, const column<std::uint32_t>& order, memory_budget& budget) {
  if (!values.is_uniform()) reorder(values.rows(), order, budget);
}

}  // namespace stallscope::capture
