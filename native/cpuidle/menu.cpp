#include "cpuidle/menu.hpp"

#include <algorithm>

namespace stallscope::cpuidle {
namespace {

constexpr std::int64_t us = 1000;
constexpr std::uint64_t resolution = 1024;
constexpr std::uint64_t decay = 8;
constexpr std::uint64_t history = 8;  // intervals that are looked at
constexpr std::int64_t longest_interesting_ns = 50'000 * us;
constexpr std::uint32_t no_typical_us = std::numeric_limits<std::uint32_t>::max();

std::size_t bucket_of(std::int64_t timer_ns) {
  std::size_t bucket = 0;
  for (std::int64_t end = 10 * us; bucket < 5 && timer_ns >= end; end *= 10) {
    ++bucket;
  }
  return bucket;
}

// What is known of the intervals that are left.
struct spread {
  std::uint64_t count = 0;
  std::uint64_t average = 0;
  std::uint64_t variance = 0;
  std::uint32_t least = no_typical_us;
  std::uint32_t most = 0;

  [[nodiscard]] bool is_typical() const {
    constexpr std::uint64_t largest_variance = std::numeric_limits<std::uint64_t>::max() / 36;
    return variance <= largest_variance &&
           ((average * average > 36 * variance && 4 * count >= 3 * history) || variance <= 400);
  }
};

// Of the intervals from `from` to `to`; `exact`: about the average itself, as up to 6.14, which
// rounds otherwise than squares summed up.
spread spread_of(std::span<const std::uint32_t> values, std::int64_t from, std::int64_t to,
                 bool exact) {
  spread made;
  std::uint64_t sum = 0;
  std::uint64_t squares = 0;
  const auto left = [&](std::uint32_t value) { return value >= from && value <= to; };
  for (const std::uint32_t value : values) {
    if (left(value)) {
      ++made.count;
      sum += value;
      squares += std::uint64_t{value} * value;
      made.least = std::min(made.least, value);
      made.most = std::max(made.most, value);
    }
  }
  if (made.count == 0) {
    return made;
  }
  made.average = sum / made.count;
  if (!exact) {
    made.variance = squares / made.count - made.average * made.average;
    return made;
  }
  for (const std::uint32_t value : values) {
    if (left(value)) {
      const auto apart = static_cast<std::int64_t>(value) - static_cast<std::int64_t>(made.average);
      made.variance += static_cast<std::uint64_t>(apart * apart);
    }
  }
  made.variance /= made.count;
  return made;
}

}  // namespace

menu::menu(const machine& of, menu_version version)
    : of_(of), version_(version), poll_limit_ns_(usual_poll_limit_ns(of)) {
  factors_.fill(resolution * decay);
}

void menu::look_at_timer(const situation& now) {
  next_timer_ns_ = std::max<std::int64_t>(now.sleep_length_ns, 0);
  next_tick_ns_ = now.sleep_length_ns < 0 ? 0 : now.next_tick_ns;
  bucket_ = bucket_of(next_timer_ns_);
}

std::uint64_t menu::timer_times_factor_us() const {
  constexpr std::uint64_t unit = resolution * decay * us;
  return (unit / 2 + static_cast<std::uint64_t>(next_timer_ns_) * factors_[bucket_]) / unit;
}

// get_typical_interval() up to 6.14: outliers are the largest.
std::uint32_t menu::typical_without_largest_us(std::uint64_t predicted_us) const {
  std::int64_t to = std::numeric_limits<std::int32_t>::max();
  while (true) {
    const spread found = spread_of(intervals_us_, 0, to, true);
    const bool useless =
        version_ == menu_version::v6_1 ? found.least >= predicted_us : found.most == 0;
    if (useless || found.count == 0) {
      return no_typical_us;
    }
    if (found.is_typical()) {
      return static_cast<std::uint32_t>(found.average);
    }
    if (4 * found.count <= 3 * history) {
      return no_typical_us;
    }
    to = static_cast<std::int64_t>(found.most) - 1;
  }
}

// get_typical_interval() since 6.15: outliers are at the end that is farther from the average.
std::uint32_t menu::typical_without_farthest_us() const {
  std::int64_t from = 0;
  std::int64_t to = static_cast<std::int64_t>(no_typical_us) - 1;
  while (true) {
    const spread found = spread_of(intervals_us_, from, to, false);
    if (found.most == 0) {
      return no_typical_us;
    }
    if (found.is_typical()) {
      return static_cast<std::uint32_t>(found.average);
    }
    if (4 * found.count <= 3 * history) {
      return no_typical_us;
    }
    if (found.average - found.least > found.most - found.average) {
      from = static_cast<std::int64_t>(found.least) + 1;
    } else {
      to = static_cast<std::int64_t>(found.most) - 1;
    }
  }
}

void menu::predict(const situation& now) {
  if (version_ == menu_version::v6_1) {
    look_at_timer(now);
    const std::uint64_t timer_us = timer_times_factor_us();
    const std::uint64_t typical_us = typical_without_largest_us(timer_us);
    predicted_ns_ = static_cast<std::int64_t>(std::min(timer_us, typical_us)) * us;
    if (now.tick_stopped && predicted_ns_ < of_.tick_ns) {
      predicted_ns_ = next_tick_ns_;
    }
    return;
  }
  const bool newest = version_ == menu_version::v6_18;
  predicted_ns_ = us * (newest ? typical_without_farthest_us() : typical_without_largest_us(0));
  if (predicted_ns_ > residency_threshold_ns || (newest && now.tick_stopped)) {
    look_at_timer(now);
    predicted_ns_ =
        std::min(predicted_ns_, static_cast<std::int64_t>(timer_times_factor_us()) * us);
  } else {  // the timer is not looked at: far away; the tick is half its period away
    next_timer_ns_ = no_timer_ns;
    next_tick_ns_ = of_.tick_ns / 2;
    bucket_ = buckets - 1;
  }
  if (now.tick_stopped && predicted_ns_ < of_.tick_ns) {
    predicted_ns_ = next_timer_ns_;
  }
}

bool menu::must_be_first_state() const {
  const idle_state& second = of_.states[1];
  return of_.latency_limit_ns == 0 || ((next_timer_ns_ < second.target_residency_ns ||
                                        of_.latency_limit_ns < second.exit_latency_ns) &&
                                       !of_.states[0].disabled);
}

choice menu::select(const situation& now) {
  predict(now);
  if (must_be_first_state()) {
    return {.state = 0, .stop_tick = !of_.states[0].polling};
  }
  return deepest_within(now);
}

// Whether a real state is taken instead of polling although it is predicted to be too deep.
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
  const std::int64_t limit_ns = newest || now.tick_stopped
                                    ? of_.latency_limit_ns
                                    : std::min(of_.latency_limit_ns, predicted_ns_);
  std::size_t found = of_.states.size();
  for (std::size_t index = 0; index < of_.states.size(); ++index) {
    const idle_state& state = of_.states[index];
    if (state.disabled) {
      continue;
    }
    found = found == of_.states.size() ? index : found;
    if (newest && state.exit_latency_ns > limit_ns) {
      break;
    }
    if (state.target_residency_ns <= predicted_ns_) {
      if (state.exit_latency_ns > limit_ns) {
        break;
      }
      found = index;
      continue;
    }
    if (leaves_polling_for(state, of_.states[found], limit_ns)) {
      predicted_ns_ = state.target_residency_ns;
      found = index;
    } else if (predicted_ns_ >= of_.tick_ns) {
      const idle_state& so_far = of_.states[found];
      if (now.tick_stopped) {  // not to be stuck in a shallow state
        const bool deeper =
            so_far.target_residency_ns < of_.tick_ns && state.target_residency_ns <= next_tick_ns_;
        return {.state = deeper ? index : found, .stop_tick = true};
      }
      predicted_ns_ = so_far.target_residency_ns;
    }
    break;
  }
  found = found == of_.states.size() ? 0 : found;
  const bool keep_tick =
      (of_.states[found].polling || predicted_ns_ < of_.tick_ns) && !now.tick_stopped;
  return {.state = keep_tick ? shallower_than_tick(found) : found, .stop_tick = !keep_tick};
}

// The tick goes on: no state whose target residency it would cut short.
std::size_t menu::shallower_than_tick(std::size_t found) const {
  if (of_.states[found].target_residency_ns <= next_tick_ns_) {
    return found;
  }
  for (std::size_t index = found; index-- > 0;) {
    if (!of_.states[index].disabled) {
      found = index;
      if (of_.states[index].target_residency_ns <= next_tick_ns_) {
        break;
      }
    }
  }
  return found;
}

void menu::reflect(const outcome& last) {
  const idle_state& state = of_.states[last.state];
  std::int64_t measured_ns = last.residency_ns;
  if (last.by == ended_by::tick && next_timer_ns_ > of_.tick_ns) {
    measured_ns = 9 * longest_interesting_ns / 10;  // it could have been long
  } else if (last.by == ended_by::poll_limit && state.polling) {
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
  if (next_timer_ns_ > 0 && measured_ns < longest_interesting_ns) {
    factor += static_cast<std::uint32_t>(static_cast<std::int64_t>(resolution) * measured_ns /
                                         next_timer_ns_);
  } else {
    factor += static_cast<std::uint32_t>(resolution);
  }
  // The kernel, too, keeps the low 32 bits of what no timer bounds.
  intervals_us_[next_interval_] = static_cast<std::uint32_t>(measured_ns / us);
  next_interval_ = (next_interval_ + 1) % intervals;
}

}  // namespace stallscope::cpuidle
