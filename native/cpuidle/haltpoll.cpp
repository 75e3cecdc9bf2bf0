#include "cpuidle/haltpoll.hpp"

#include <algorithm>

namespace stallscope::cpuidle {
namespace {

// Defaults of the module parameters.
constexpr std::int64_t max_poll_ns = 200'000;
constexpr std::int64_t first_poll_ns = 50'000;
constexpr std::int64_t growth = 2;
constexpr std::int64_t shrinkage = 2;

}  // namespace

choice haltpoll::select(const situation& /*now*/) {
  if (table_.latency_limit_ns == 0) {
    return {.state = 0, .stop_tick = false};
  }
  if (limit_ns_ == 0 || (polled_ && polled_out_)) {
    return {.state = 1, .stop_tick = true};
  }
  return {.state = 0, .stop_tick = false};
}

void haltpoll::reflect(const outcome& last) {
  polled_ = last.state == 0;
  polled_out_ = polled_ && last.cause == end_cause::poll_limit;
  if (polled_) {
    return;
  }
  if (last.residency_ns > limit_ns_ && last.residency_ns <= max_poll_ns) {
    limit_ns_ = std::clamp(limit_ns_ * growth, first_poll_ns, max_poll_ns);
  } else if (last.residency_ns > max_poll_ns) {
    limit_ns_ /= shrinkage;
  }
}

std::int64_t haltpoll::poll_limit_ns() const {
  return limit_ns_ > 0 ? limit_ns_ : default_poll_limit_ns(table_);
}

}  // namespace stallscope::cpuidle
