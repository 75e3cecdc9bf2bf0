// The Mann-Whitney U test of sorted samples, exact for small samples with or without ties.
//
//   rank_test tests;
//   const rank_test_result result = tests.compare(first, second);
//
// Exact without ties up to 50 values per sample; with ties up to 25 per sample or 50 together; else
// the normal approximation with corrections for ties and continuity. Distributions are kept, so
// that many comparisons of samples of the same sizes cost little. Sources: Mann and Whitney 1947;
// Cheung and Klotz, The Mann Whitney Wilcoxon distribution using linked lists, 1997.
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <utility>
#include <vector>

namespace stallscope::benchmark_text {

enum class rank_test_kind : std::uint8_t { exact, normal, all_equal, empty };

struct rank_test_result {
  // The share of all splits of the values whose U is at least as far from its mean.
  double p;
  // What benchstat prints: twice the share of splits with at most the smaller U. With ties the
  // distribution is not symmetric, so that both differ, and this one may exceed 1.
  double p_doubled;
  rank_test_kind kind;
};

class rank_test {
 public:
  // The samples are in ascending order without NaN.
  rank_test_result compare(std::span<const double> first, std::span<const double> second);

 private:
  using sizes = std::pair<std::size_t, std::size_t>;
  using tied_sizes = std::pair<std::size_t, std::vector<std::uint32_t>>;
  const std::vector<double>& cumulative_without_ties(std::size_t smaller, std::size_t larger);
  const std::vector<double>& counts_with_ties(const tied_sizes& key);
  double kept_klotz_count(const tied_sizes& key, std::uint64_t doubled_u);

  static constexpr std::size_t max_kept_distributions = 1024;
  std::map<sizes, std::vector<double>> without_ties_;
  std::map<tied_sizes, std::vector<double>> with_ties_;
  std::map<std::pair<tied_sizes, std::uint64_t>, double> klotz_counts_;
};

}  // namespace stallscope::benchmark_text
