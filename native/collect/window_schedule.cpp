#include "collect/window_schedule.hpp"

#include <algorithm>

namespace stallscope::collect {
namespace {

// Enabling and disabling the events takes 60 us, an interrupt on each CPU included.
constexpr double mean_period_ns = 40e6;
constexpr double least_length_ns = 200e3;

}  // namespace

window_schedule::window_schedule(double share, std::uint64_t seed)
    : length_ns_{static_cast<std::uint64_t>(std::max(share * mean_period_ns, least_length_ns))},
      mean_gap_ns_{static_cast<double>(length_ns_) * (1 - share) / share},
      random_{seed} {}

std::uint64_t window_schedule::next_gap_ns() {
  std::uniform_real_distribution<double> factor{0.5, 1.5};
  return static_cast<std::uint64_t>(mean_gap_ns_ * factor(random_));
}

}  // namespace stallscope::collect
