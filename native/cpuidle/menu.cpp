#include "cpuidle/menu.hpp"

#include <algorithm>

namespace stallscope::cpuidle {

using namespace idle_prediction;

menu::menu(const idle_table& table, menu_version version)
    : table_(table), version_(version), poll_limit_ns_(default_poll_limit_ns(table)) {
  factors_.fill(resolution * decay);
}

void menu::look_at_timer(const situation& now) {
  next_timer_ns_ = std::max<std::int64_t>(now.sleep_length_ns, 0);
  next_tick_ns_ = now.sleep_length_ns < 0 ? 0 : now.next_tick_ns;
  bucket_ = bucket_of(next_timer_ns_);
  if (version_ == menu_version::v6_1 && now.io_waiters > 0) {
    bucket_ += timer_buckets;
  }
}

std::uint64_t menu::timer_times_factor_us() const {
  constexpr std::uint64_t unit = resolution * decay * us;
  return (unit / 2 + static_cast<std::uint64_t>(next_timer_ns_) * factors_[bucket_]) / unit;
}

// get_typical_interval() up to 6.14: the largest interval is the outlier.
std::uint32_t menu::typical_without_largest_us(std::uint64_t predicted_us) const {
  std::int64_t to = std::numeric_limits<std::int32_t>::max();
  while (true) {
    const spread remaining = spread_of(intervals_us_, 0, to, true);
    const bool useless =
        version_ == menu_version::v6_1 ? remaining.least >= predicted_us : remaining.most == 0;
    if (useless || remaining.count == 0) {
      return no_typical_us;
    }
    if (remaining.is_typical()) {
      return static_cast<std::uint32_t>(remaining.average);
    }
    if (4 * remaining.count <= 3 * history) {
      return no_typical_us;
    }
    to = static_cast<std::int64_t>(remaining.most) - 1;
  }
}

// get_typical_interval() since 6.15: the extreme farther from the average is the outlier.
std::uint32_t menu::typical_without_outlier_us() const {
  std::int64_t from = 0;
  std::int64_t to = static_cast<std::int64_t>(no_typical_us) - 1;
  while (true) {
    const spread remaining = spread_of(intervals_us_, from, to, false);
    if (remaining.most == 0) {
      return no_typical_us;
    }
    if (remaining.is_typical()) {
      return static_cast<std::uint32_t>(remaining.average);
    }
    if (4 * remaining.count <= 3 * history) {
      return no_typical_us;
    }
    if (remaining.average - remaining.least > remaining.most - remaining.average) {
      from = static_cast<std::int64_t>(remaining.least) + 1;
    } else {
      to = static_cast<std::int64_t>(remaining.most) - 1;
    }
  }
}

void menu::predict(const situation& now) {
  if (version_ == menu_version::v6_1) {
    look_at_timer(now);
    const std::uint64_t timer_us = timer_times_factor_us();
    const std::uint64_t typical_us = typical_without_largest_us(timer_us);
    predicted_ns_ = static_cast<std::int64_t>(std::min(timer_us, typical_us)) * us;
    if (now.tick_stopped && predicted_ns_ < table_.tick_ns) {
      predicted_ns_ = next_tick_ns_;
    }
    return;
  }
  const bool newest = version_ == menu_version::v6_18;
  predicted_ns_ = us * (newest ? typical_without_outlier_us() : typical_without_largest_us(0));
  if (predicted_ns_ > residency_threshold_ns || (newest && now.tick_stopped)) {
    look_at_timer(now);
    predicted_ns_ =
        std::min(predicted_ns_, static_cast<std::int64_t>(timer_times_factor_us()) * us);
  } else {  // the timer is not read: assume it is far away and the tick is half a period away
    next_timer_ns_ = no_timer_ns;
    next_tick_ns_ = table_.tick_ns / 2;
    bucket_ = timer_buckets - 1;
  }
  if (now.tick_stopped && predicted_ns_ < table_.tick_ns) {
    predicted_ns_ = next_timer_ns_;
  }
}

bool menu::must_be_first_state() const {
  const idle_state& second = table_.states[1];
  return table_.latency_limit_ns == 0 || ((next_timer_ns_ < second.target_residency_ns ||
                                           table_.latency_limit_ns < second.exit_latency_ns) &&
                                          !table_.states[0].disabled);
}

choice menu::select(const situation& now) {
  predict(now);
  if (must_be_first_state()) {
    return {.state = 0, .stop_tick = !table_.states[0].polling};
  }
  return deepest_within(now);
}

// True if a state other than polling is chosen although its target residency exceeds the
// prediction.
bool menu::leaves_polling_for(const idle_state& state, const idle_state& so_far,
                              std::int64_t limit_ns) const {
  if (!so_far.polling || state.target_residency_ns > next_timer_ns_) {
    return false;
  }
  if (version_ != menu_version::v6_18) {
    return state.exit_latency_ns <= limit_ns;
  }
  return state.target_residency_ns < residency_threshold_ns &&
         state.exit_latency_ns <= predicted_ns_;
}

choice menu::deepest_within(const situation& now) {
  const bool newest = version_ == menu_version::v6_18;
  const std::int64_t multiplier =
      version_ == menu_version::v6_1 ? 1 + 10 * std::int64_t{now.io_waiters} : 1;
  const std::int64_t limit_ns = newest || now.tick_stopped
                                    ? table_.latency_limit_ns
                                    : std::min(table_.latency_limit_ns, predicted_ns_ / multiplier);
  std::size_t deepest = table_.states.size();
  for (std::size_t index = 0; index < table_.states.size(); ++index) {
    const idle_state& state = table_.states[index];
    if (state.disabled) {
      continue;
    }
    deepest = deepest == table_.states.size() ? index : deepest;
    if (newest && state.exit_latency_ns > limit_ns) {
      break;
    }
    if (state.target_residency_ns <= predicted_ns_) {
      if (state.exit_latency_ns > limit_ns) {
        break;
      }
      deepest = index;
      continue;
    }
    if (leaves_polling_for(state, table_.states[deepest], limit_ns)) {
      predicted_ns_ = state.target_residency_ns;
      deepest = index;
    } else if (predicted_ns_ >= table_.tick_ns) {
      const idle_state& so_far = table_.states[deepest];
      if (now.tick_stopped) {  // avoid staying in a shallow state
        const bool deeper = so_far.target_residency_ns < table_.tick_ns &&
                            state.target_residency_ns <= next_tick_ns_;
        return {.state = deeper ? index : deepest, .stop_tick = true};
      }
      predicted_ns_ = so_far.target_residency_ns;
    }
    break;
  }
  deepest = deepest == table_.states.size() ? 0 : deepest;
  const bool keep_tick =
      (table_.states[deepest].polling || predicted_ns_ < table_.tick_ns) && !now.tick_stopped;
  return {.state = keep_tick ? shallower_than_tick(deepest) : deepest, .stop_tick = !keep_tick};
}

// The tick stays enabled: choose a state whose target residency ends before it.
std::size_t menu::shallower_than_tick(std::size_t state) const {
  if (table_.states[state].target_residency_ns <= next_tick_ns_) {
    return state;
  }
  for (std::size_t index = state; index-- > 0;) {
    if (!table_.states[index].disabled) {
      state = index;
      if (table_.states[index].target_residency_ns <= next_tick_ns_) {
        break;
      }
    }
  }
  return state;
}

void menu::reflect(const outcome& last) {
  const idle_state& state = table_.states[last.state];
  std::int64_t measured_ns = last.residency_ns;
  if (last.cause == end_cause::tick && next_timer_ns_ > table_.tick_ns) {
    measured_ns =
        9 * max_interesting_ns / 10;  // without the tick the idle period could have been long
  } else if (last.cause == end_cause::poll_limit && state.polling) {
    measured_ns = next_timer_ns_;
  } else if (measured_ns > 2 * state.exit_latency_ns) {
    measured_ns -= state.exit_latency_ns;
  } else {
    measured_ns /= 2;
  }
  note_interval(std::min(measured_ns, next_timer_ns_));
}

void menu::note_interval(std::int64_t measured_ns) {
  std::uint32_t& factor = factors_[bucket_];
  factor -= factor / static_cast<std::uint32_t>(decay);
  if (next_timer_ns_ > 0 && measured_ns < max_interesting_ns) {
    factor += static_cast<std::uint32_t>(static_cast<std::int64_t>(resolution) * measured_ns /
                                         next_timer_ns_);
  } else {
    factor += static_cast<std::uint32_t>(resolution);
  }
  // The kernel also keeps only the low 32 bits of a period without a timer.
  intervals_us_[next_interval_] = static_cast<std::uint32_t>(measured_ns / us);
  next_interval_ = (next_interval_ + 1) % history;
}

}  // namespace stallscope::cpuidle
