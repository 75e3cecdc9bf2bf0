// Selects the key of a request: uniformly, or by Zipf's law, where the key of rank k (from 1) has a
// probability proportional to k^-s. Exact for any number of keys without a table, by
// rejection-inversion (Hoermann and Derflinger 1996, "Rejection-inversion to generate variates from
// monotone discrete distributions"). Cost: about 5 ns per choice, 30 ns with Zipf. One thread.
#pragma once

#include <cstdint>
#include <optional>
#include <random>

namespace stallscope::load {

class key_choice {
 public:
  // Keys 0 to keys - 1, 0 being the most frequent. `zipf` is the exponent, above 0; nothing for
  // uniform.
  key_choice(std::uint64_t keys, std::optional<double> zipf);

  std::uint64_t operator()(std::mt19937_64& random) const;

 private:
  [[nodiscard]] double area(double rank) const;            // area under k^-s up to that rank
  [[nodiscard]] double rank_at(double area_so_far) const;  // the inverse of area()
  [[nodiscard]] double weight(double rank) const;
  [[nodiscard]] std::uint64_t zipf_rank(std::mt19937_64& random) const;

  std::uint64_t keys_;
  double exponent_ = 0;
  double first_area_ = 0;
  double last_area_ = 0;
  double sure_ = 0;  // within this distance below a rank a value is always accepted
};

}  // namespace stallscope::load
