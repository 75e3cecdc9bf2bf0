#include "cpuidle/menu_4_9.hpp"

#include <algorithm>

namespace stallscope::cpuidle {

using namespace idle_prediction;

namespace {

constexpr std::int64_t least_poll_threshold_us = 20;

// Divides the prediction, so that a busy CPU chooses states that wake up sooner.
std::int64_t performance_multiplier(const situation& now) {
  const std::int64_t load = now.load_hundredths;
  return 1 + 2 * (load / 100 * 10 + load % 100 / 10) + 10 * std::int64_t{now.io_waiters};
}

}  // namespace

menu_4_9::menu_4_9(const idle_table& table, menu_input input) : table_(table), input_(input) {
  factors_.fill(resolution * decay);
}

std::uint32_t menu_4_9::typical_us() const {
  std::int64_t to = no_typical_us;
  while (true) {
    const spread remaining = spread_of(intervals_us_, 0, to, true);
    if (remaining.is_typical()) {
      return static_cast<std::uint32_t>(remaining.average);
    }
    if (4 * remaining.count <= 3 * history) {
      return no_typical_us;
    }
    to = static_cast<std::int64_t>(remaining.most) - 1;
  }
}

std::uint32_t menu_4_9::predict_us(const situation& now) {
  next_timer_us_ = static_cast<std::uint32_t>(
      std::clamp<std::int64_t>(now.sleep_length_ns / us, 0, no_typical_us));
  bucket_ = bucket_of(now.sleep_length_ns) + (now.io_waiters > 0 ? timer_buckets : 0);
  if (input_ == menu_input::timer_only) {
    return next_timer_us_;
  }
  constexpr std::uint64_t unit = resolution * decay;
  const std::uint64_t corrected_us =
      (unit / 2 + std::uint64_t{next_timer_us_} * factors_[bucket_]) / unit;
  return static_cast<std::uint32_t>(
      std::min<std::uint64_t>(corrected_us, std::min(typical_us(), next_timer_us_)));
}

// The state that is chosen if no deeper one fits: the first real state, whose target residency is
// not compared with the prediction, unless a timer is near.
std::size_t menu_4_9::first_state() const {
  const idle_state& second = table_.states[1];
  const std::int64_t threshold_us =
      std::max(least_poll_threshold_us, second.target_residency_ns / us);
  const bool sleeps = next_timer_us_ > threshold_us &&
                      table_.latency_limit_ns > second.exit_latency_ns && !second.disabled;
  return table_.states[0].polling && sleeps ? 1 : 0;
}

choice menu_4_9::select(const situation& now) {
  if (table_.latency_limit_ns == 0) {
    return {.state = 0, .stop_tick = true};
  }
  const std::int64_t predicted_ns = predict_us(now) * us;
  const std::int64_t divisor = input_ == menu_input::all ? performance_multiplier(now) : 1;
  const std::int64_t limit_ns = std::min(table_.latency_limit_ns, predicted_ns / us / divisor * us);
  std::size_t deepest = first_state();
  for (std::size_t index = deepest + 1; index < table_.states.size(); ++index) {
    const idle_state& state = table_.states[index];
    if (!state.disabled && state.target_residency_ns <= predicted_ns &&
        state.exit_latency_ns <= limit_ns) {
      deepest = index;
    }
  }
  return {.state = deepest, .stop_tick = true};
}

void menu_4_9::reflect(const outcome& last) {
  const std::int64_t exit_us = table_.states[last.state].exit_latency_ns / us;
  std::int64_t measured_us = last.residency_ns / us;
  measured_us = measured_us > 2 * exit_us ? measured_us - exit_us : measured_us / 2;
  measured_us = std::min<std::int64_t>(measured_us, next_timer_us_);

  std::uint32_t& factor = factors_[bucket_];
  factor -= factor / static_cast<std::uint32_t>(decay);
  const bool short_idle = next_timer_us_ > 0 && measured_us < max_interesting_ns / us;
  factor += static_cast<std::uint32_t>(
      short_idle ? resolution * static_cast<std::uint64_t>(measured_us) / next_timer_us_
                 : resolution);
  intervals_us_[next_interval_] = static_cast<std::uint32_t>(measured_us);
  next_interval_ = (next_interval_ + 1) % history;
}

}  // namespace stallscope::cpuidle
