#include "benchmark_text/rank_test.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "benchmark_text/go_functions.hpp"
#include "benchmark_text/klotz.hpp"

namespace stallscope::benchmark_text {
namespace {

constexpr std::size_t max_exact_size = 50;
constexpr std::size_t max_exact_tied_size = 25;
constexpr std::size_t max_exact_tied_total = 50;

struct ranked {
  std::uint64_t doubled_rank_sum = 0;  // of the first sample
  std::vector<std::uint32_t> tie_sizes;
};

ranked rank(std::span<const double> first, std::span<const double> second) {
  ranked result;
  std::size_t i = 0;
  std::size_t j = 0;
  while (i < first.size() || j < second.size()) {
    const double value =
        j == second.size() || (i < first.size() && first[i] < second[j]) ? first[i] : second[j];
    const std::size_t before = i + j;
    const std::size_t first_before = i;
    while (i < first.size() && first[i] == value) {
      ++i;
    }
    while (j < second.size() && second[j] == value) {
      ++j;
    }
    const std::size_t tied = i + j - before;
    result.doubled_rank_sum += (i - first_before) * (2 * before + tied + 1);
    result.tie_sizes.push_back(static_cast<std::uint32_t>(tied));
  }
  return result;
}

double standard_normal_cdf(double z) { return std::erfc(-z / std::sqrt(2.0)) / 2; }

// Twice the smaller tail of the normal approximation; 1 if all values are equal.
rank_test_result normal_approximation(const ranked& ranks, std::size_t n1, std::size_t n2) {
  const auto product = static_cast<double>(n1 * n2);
  const auto total = static_cast<double>(n1 + n2);
  double ties = 0;
  for (const std::uint32_t size : ranks.tie_sizes) {
    const double tied = size;
    ties += tied * tied * tied - tied;
  }
  const double deviation = std::sqrt(product * ((total + 1) - ties / (total * (total - 1))) / 12);
  if (!(deviation > 0)) {
    return {1, 1, rank_test_kind::all_equal};
  }
  const double u =
      static_cast<double>(ranks.doubled_rank_sum) / 2 - static_cast<double>(n1 * (n1 + 1)) / 2;
  double distance = u - product / 2;
  distance -= distance > 0 ? 0.5 : distance < 0 ? -0.5 : 0;
  const double cdf = standard_normal_cdf(distance / deviation);
  const double p = 2 * std::min(cdf, 1 - cdf);
  return {p, p, rank_test_kind::normal};
}

}  // namespace

rank_test_result rank_test::compare(std::span<const double> first, std::span<const double> second) {
  const std::size_t n1 = first.size();
  const std::size_t n2 = second.size();
  if (n1 == 0 || n2 == 0) {
    return {1, 1, rank_test_kind::empty};
  }
  const ranked ranks = rank(first, second);
  const bool tied = ranks.tie_sizes.size() < n1 + n2;
  const std::uint64_t doubled_u = ranks.doubled_rank_sum - n1 * (n1 + 1);
  const std::uint64_t smaller_u = std::min(doubled_u, 2 * n1 * n2 - doubled_u);
  if (!tied && n1 <= max_exact_size && n2 <= max_exact_size) {
    if (smaller_u == n1 * n2) {
      return {1, 1, rank_test_kind::exact};
    }
    const auto& cumulative = cumulative_without_ties(std::min(n1, n2), std::max(n1, n2));
    const double p = 2 * cumulative[smaller_u / 2];
    return {p, p, rank_test_kind::exact};
  }
  if (tied && ((n1 <= max_exact_tied_size && n2 <= max_exact_tied_size) ||
               n1 + n2 <= max_exact_tied_total)) {
    if (ranks.tie_sizes.size() == 1) {
      return {1, 1, rank_test_kind::all_equal};
    }
    // counts[u]: splits with the doubled U of the first sample equal to u
    const std::vector<double>& counts = counts_with_ties({n1, ranks.tie_sizes});
    const double splits = std::accumulate(counts.begin(), counts.end(), 0.0);
    double far = 0;
    const std::uint64_t mean = n1 * n2;
    for (std::size_t u = 0; u < counts.size(); ++u) {
      far += std::max(u, mean) - std::min(u, mean) >= mean - smaller_u ? counts[u] : 0;
    }
    double doubled = 1;
    if (n1 > max_exact_tied_size || n2 > max_exact_tied_size) {
      doubled = normal_approximation(ranks, n1, n2).p;
    } else if (smaller_u != mean) {
      const double share = kept_klotz_count({n1, ranks.tie_sizes}, smaller_u) /
                           go_binomial(static_cast<int>(n1 + n2), static_cast<int>(n1));
      doubled = 2 * share;
    }
    return {far / splits, doubled, rank_test_kind::exact};
  }
  return normal_approximation(ranks, n1, n2);
}

// The recurrence of Mann and Whitney: p[n, m](u) = (n p[n-1, m](u - m) + m p[n, m-1](u)) / (n + m).
// The order of the operations is that of benchstat's library, so that the sums are equal bit by
// bit.
const std::vector<double>& rank_test::cumulative_without_ties(std::size_t smaller,
                                                              std::size_t larger) {
  const auto [kept, is_new] = without_ties_.try_emplace({smaller, larger});
  if (!is_new) {
    return kept->second;
  }
  const std::size_t largest_u = smaller * larger / 2;
  std::vector<std::vector<double>> shares(smaller + 1, std::vector<double>(largest_u + 1, 0.0));
  shares[0][0] = 1;
  for (std::size_t m = 0; m <= larger; ++m) {
    for (std::size_t n = 1; n <= std::min(smaller, m); ++n) {
      const std::vector<double>& left = shares[n - 1];
      const std::vector<double>& right = n < m ? shares[n] : shares[m - 1];
      const auto divisor = static_cast<double>(n + m);
      for (std::size_t u = std::min(n * m, largest_u) + 1; u-- > 0;) {
        const double l = u >= m ? static_cast<double>(n) * left[u - m] : 0;
        const double r = static_cast<double>(m) * right[u];
        shares[n][u] = (l + r) / divisor;
      }
    }
  }
  double sum = 0;
  for (const double share : shares[smaller]) {
    sum += share;
    kept->second.push_back(sum);
  }
  return kept->second;
}

const std::vector<double>& rank_test::counts_with_ties(const tied_sizes& key) {
  if (with_ties_.size() >= max_kept_distributions) {
    with_ties_.clear();
  }
  const auto [kept, is_new] = with_ties_.try_emplace(key);
  if (!is_new) {
    return kept->second;
  }
  const auto& [size, tie_sizes] = key;
  const std::size_t total = std::accumulate(tie_sizes.begin(), tie_sizes.end(), std::size_t{0});
  const std::size_t width = 2 * size * (total - size) + 1;
  // subsets[k][u]: sets of k values whose doubled U is u
  std::vector<std::vector<double>> subsets(size + 1, std::vector<double>(width, 0.0));
  subsets[0][0] = 1;
  std::size_t before = 0;
  for (const std::uint32_t tied : tie_sizes) {
    for (std::size_t k = std::min(size, before + tied); k >= 1; --k) {
      double choices = 1;  // ways to take `taken` values of the tie
      for (std::size_t taken = 1; taken <= std::min<std::size_t>(tied, k); ++taken) {
        choices = choices * static_cast<double>(tied - taken + 1) / static_cast<double>(taken);
        if (k - taken > before) {
          continue;
        }
        const std::size_t shift = taken * (2 * (before - (k - taken)) + tied - taken);
        const std::vector<double>& source = subsets[k - taken];
        std::vector<double>& target = subsets[k];
        for (std::size_t u = shift; u < width; ++u) {
          target[u] += choices * source[u - shift];
        }
      }
    }
    before += tied;
  }
  kept->second = std::move(subsets[size]);
  return kept->second;
}

double rank_test::kept_klotz_count(const tied_sizes& key, std::uint64_t doubled_u) {
  if (klotz_counts_.size() >= max_kept_distributions) {
    klotz_counts_.clear();
  }
  const auto [kept, is_new] = klotz_counts_.try_emplace({key, doubled_u}, 0.0);
  if (is_new) {
    kept->second = klotz_count(key.second, key.first, doubled_u);
  }
  return kept->second;
}

}  // namespace stallscope::benchmark_text
