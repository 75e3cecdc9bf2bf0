#include "load/key_choice.hpp"

#include <algorithm>
#include <cmath>

#include "load/arrivals.hpp"

namespace stallscope::load {
namespace {

// expm1(x) / x and log1p(x) / x, also for x near 0, so that an exponent of 1 is not a special case.
double expm1_over(double x) { return std::abs(x) < 1e-8 ? 1 + x / 2 : std::expm1(x) / x; }
double log1p_over(double x) { return std::abs(x) < 1e-8 ? 1 - x / 2 : std::log1p(x) / x; }

}  // namespace

key_choice::key_choice(std::uint64_t keys, std::optional<double> zipf) : keys_{keys} {
  if (!zipf) return;
  exponent_ = *zipf;
  first_area_ = area(1.5) - 1;
  last_area_ = area(static_cast<double>(keys) + 0.5);
  sure_ = 2 - rank_at(area(2.5) - weight(2));
}

std::uint64_t key_choice::operator()(std::mt19937_64& random) const {
  if (exponent_ > 0) return zipf_rank(random) - 1;
  return static_cast<std::uint64_t>(uniform_share(random) * static_cast<double>(keys_));
}

double key_choice::area(double rank) const {
  const double log_rank = std::log(rank);
  return expm1_over((1 - exponent_) * log_rank) * log_rank;
}

double key_choice::rank_at(double area_so_far) const {
  const double scaled = std::max(-1.0, area_so_far * (1 - exponent_));
  return std::exp(log1p_over(scaled) * area_so_far);
}

double key_choice::weight(double rank) const { return std::exp(-exponent_ * std::log(rank)); }

std::uint64_t key_choice::zipf_rank(std::mt19937_64& random) const {
  for (;;) {
    const double at = last_area_ + uniform_share(random) * (first_area_ - last_area_);
    const double exact = rank_at(at);
    const double rank = std::clamp(std::floor(exact + 0.5), 1.0, static_cast<double>(keys_));
    if (rank - exact <= sure_ || at >= area(rank + 0.5) - weight(rank)) {
      return static_cast<std::uint64_t>(rank);
    }
  }
}

}  // namespace stallscope::load
