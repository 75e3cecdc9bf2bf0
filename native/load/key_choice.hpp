// Which key a request names: all alike, or by Zipf's law, where the key of rank k (from 1) is asked
// for in proportion to k^-s. Exact for any number of keys without a table: by rejection-inversion
// (Hoermann and Derflinger 1996, "Rejection-inversion to generate variates from monotone discrete
// distributions"). A choice costs some 5 ns, of Zipf's some 30 ns. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

namespace stallscope::load {

class key_choice {
 public:
  // Keys 0 to keys - 1, of which 0 is the most frequent; an exponent above 0, or nothing.
  key_choice(std::uint64_t keys, std::optional<double> zipf);

  std::uint64_t operator()(std::mt19937_64& random) const;

 private:
  [[nodiscard]] double area(double rank) const;            // under k^-s, up to that rank
  [[nodiscard]] double rank_at(double area_so_far) const;  // the inverse
  [[nodiscard]] double weight(double rank) const;
  [[nodiscard]] std::uint64_t zipf_rank(std::mt19937_64& random) const;

  std::uint64_t keys_;
  double exponent_ = 0;
  double first_area_ = 0;
  double last_area_ = 0;
  double sure_ = 0;  // so near below a rank, its histogram covers the hat: accepted at once
};

}  // namespace stallscope::load
