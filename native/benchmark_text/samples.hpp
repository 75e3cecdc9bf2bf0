// Sorted samples of benchmark values: order statistics and comparisons of many cells of a table.
//
//   samples cells(all, offsets, series_of_cells);   // cell i: the series offsets[i]..offsets[i +
//   1] cells.order_statistics(ranks);                  // one value per cell cells.compare(bases,
//   heads);                    // one U test per pair of cells
//
// NaN stands before all other values; comparisons leave it out. Building costs a sort of all
// values.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "benchmark_text/rank_test.hpp"
#include "benchmark_text/results.hpp"

namespace stallscope::benchmark_text {

class samples {
 public:
  // Throws std::out_of_range if an index is wrong.
  samples(const results& all, std::span<const std::int64_t> offsets,
          std::span<const std::int64_t> series_of_cells);

  std::size_t size() const { return nan_counts_.size(); }
  std::span<const double> values(std::size_t cell) const;   // ascending, NaN first
  std::span<const double> numbers(std::size_t cell) const;  // without NaN
  std::int64_t nan_count(std::size_t cell) const { return nan_counts_[cell]; }

  // The value of the given rank, from 1, of each cell; below 1 -infinity, above its size infinity.
  std::vector<double> order_statistics(std::span<const std::int64_t> ranks) const;
  std::vector<rank_test_result> compare(std::span<const std::int64_t> bases,
                                        std::span<const std::int64_t> heads) const;

 private:
  std::vector<double> values_;
  std::vector<std::size_t> offsets_;
  std::vector<std::int64_t> nan_counts_;
};

}  // namespace stallscope::benchmark_text
