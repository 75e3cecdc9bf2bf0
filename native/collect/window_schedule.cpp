#include "collect/window_schedule.hpp"

#include <algorithm>

namespace stallscope::collect {
namespace {

// Shorter windows would consist of the time in which their events are enabled.
constexpr double least_length_ns = 200e3;

}  // namespace

window_schedule::window_schedule(double share, std::uint64_t mean_period_ns, std::uint64_t seed)
    : length_ns_{static_cast<std::uint64_t>(
          std::max(share * static_cast<double>(mean_period_ns), least_length_ns))},
      mean_gap_ns_{static_cast<double>(length_ns_) * (1 - share) / share},
      random_{seed} {}

std::uint64_t window_schedule::next_gap_ns() {
  std::uniform_real_distribution<double> factor{is_first_ ? 0.0 : 0.5, is_first_ ? 1.0 : 1.5};
  is_first_ = false;
  return static_cast<std::uint64_t>(mean_gap_ns_ * factor(random_));
}

}  // namespace stallscope::collect
