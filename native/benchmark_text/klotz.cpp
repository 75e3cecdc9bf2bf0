#include "benchmark_text/klotz.hpp"

#include <algorithm>
#include <map>
#include <utility>
#include <vector>

#include "benchmark_text/go_functions.hpp"

namespace stallscope::benchmark_text {
namespace {

using counts = std::map<std::pair<int, int>, double>;  // by size of the first sample and doubled U

class recursion {
 public:
  recursion(std::span<const std::uint32_t> tie_sizes) : offsets_(tie_sizes.size() + 1) {
    for (const std::uint32_t size : tie_sizes) {
      ties_.push_back(static_cast<int>(size));
    }
    offsets_[1] = ties_[0];
    for (std::size_t k = 2; k <= ties_.size(); ++k) {
      offsets_[k] = offsets_[k - 1] + ties_[k - 2] + ties_[k - 1];
    }
  }

  double count(int n1, int doubled_u) const {
    std::vector<counts> tables(ties_.size() + 1);
    tables[ties_.size()][{n1, doubled_u}] = 0;
    int total = 0;
    for (const int size : ties_) {
      total += size;
    }
    for (std::size_t k = ties_.size() - 1; k >= 2; --k) {
      total -= ties_[k];
      add_arguments(tables[k + 1], tables[k], k, total);
    }
    for (auto& [key, splits] : tables[2]) {
      splits = count_of_two(key.first, key.second);
    }
    total = ties_[0];
    for (std::size_t k = 3; k <= ties_.size(); ++k) {
      total += ties_[k - 2];
      for (auto& [key, splits] : tables[k]) {
        splits = count_of(tables[k - 1], key, k, total);
      }
    }
    return tables[ties_.size()].at({n1, doubled_u});
  }

 private:
  int reduced_u(std::pair<int, int> key, std::size_t k, int taken) const {
    return key.second - taken * (offsets_[k] - 2 * key.first + taken);
  }

  void add_arguments(const counts& above, counts& table, std::size_t k, int total) const {
    for (const auto& [key, unused] : above) {
      for (int taken = std::max(0, key.first - total); taken <= std::min(key.first, ties_[k]);
           ++taken) {
        const int u = reduced_u(key, k + 1, taken);
        const int n1 = key.first - taken;
        if (smallest_u(n1, k) <= u && u <= largest_u(n1, k)) {
          table[{n1, u}] = 0;
        }
      }
    }
  }

  double count_of_two(int n1, int u) const {
    double splits = 0;
    const int largest = (u - n1 * (ties_[0] - n1)) / (ties_[0] + ties_[1]);
    for (int second = std::max(0, n1 - ties_[0]); second <= largest; ++second) {
      splits += go_binomial(ties_[0], n1 - second) * go_binomial(ties_[1], second);
    }
    return splits;
  }

  double count_of(const counts& below, std::pair<int, int> key, std::size_t k, int total) const {
    double splits = 0;
    for (int taken = std::max(0, key.first - total); taken <= std::min(key.first, ties_[k - 1]);
         ++taken) {
      const int u = reduced_u(key, k, taken);
      const int n1 = key.first - taken;
      const auto known = below.find({n1, u});
      double smaller = 0;
      if (known != below.end()) {
        smaller = known->second;
      } else if (largest_u(n1, k - 1) < u) {
        smaller = go_binomial(total, n1);
      }
      splits += smaller * go_binomial(ties_[k - 1], taken);
    }
    return splits;
  }

  int smallest_u(int n1, std::size_t ranks) const {
    int u = -n1 * n1;
    for (std::size_t k = 1; k <= ranks; ++k) {
      const int taken = std::min(n1, ties_[k - 1]);
      u += taken * offsets_[k];
      n1 -= taken;
    }
    return u;
  }

  int largest_u(int n1, std::size_t ranks) const {
    int u = -n1 * n1;
    for (std::size_t k = ranks; k > 0; --k) {
      const int taken = std::min(n1, ties_[k - 1]);
      u += taken * offsets_[k];
      n1 -= taken;
    }
    return u;
  }

  std::vector<int> ties_;
  std::vector<int> offsets_;
};

}  // namespace

double klotz_count(std::span<const std::uint32_t> tie_sizes, std::size_t n1,
                   std::uint64_t doubled_u) {
  return recursion(tie_sizes).count(static_cast<int>(n1), static_cast<int>(doubled_u));
}

}  // namespace stallscope::benchmark_text
