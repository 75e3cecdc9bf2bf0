#include "collect/window_pace.hpp"

#include <algorithm>

namespace stallscope::collect {
namespace {

constexpr std::uint64_t between_changes_ns = 1'000'000'000;
constexpr double least_change = 0.8;
constexpr double most_change = 1.5;
constexpr double most_factor = 3;

}  // namespace

double window_pace::observe(std::uint64_t at_ns, std::uint64_t used_ns) {
  if (!last_) last_ = {at_ns, used_ns};
  if (at_ns < last_->at_ns + between_changes_ns) return factor_;
  const double share = static_cast<double>(used_ns - std::min(used_ns, last_->used_ns)) /
                       static_cast<double>(at_ns - last_->at_ns);
  const double change = std::clamp(share / allowed_share_, least_change, most_change);
  factor_ = std::clamp(factor_ * change, 1.0, most_factor);
  last_ = {at_ns, used_ns};
  return factor_;
}

}  // namespace stallscope::collect
