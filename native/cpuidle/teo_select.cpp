// Choosing from the bins.
#include <algorithm>

#include "cpuidle/teo.hpp"

namespace stallscope::cpuidle {
namespace {

constexpr std::int64_t latency_threshold_ns = residency_threshold_ns / 2;

}  // namespace

teo::candidate teo::deepest() const {
  candidate found;
  found.any = !of_.states[0].disabled;
  std::uint32_t intercepts = 0;
  std::uint32_t hits = 0;
  for (std::size_t index = 1; index < of_.states.size(); ++index) {
    intercepts += bins_[index - 1].intercepts;
    hits += bins_[index - 1].hits;
    const idle_state& state = of_.states[index];
    if (state.disabled) {
      continue;
    }
    if (!found.any) {
      found.first = index;
      found.any = true;
    }
    found.state = index;
    if (state.exit_latency_ns <= of_.latency_limit_ns) {
      found.within_limit = index;
    }
    found.intercepts_below = intercepts;
    found.hits_below = hits;
  }
  return found;
}

bool teo::outweighed(const candidate& from) const {
  return 2 * from.intercepts_below > total_ - from.hits_below;
}

bool teo::deep_enough(std::size_t state, bool tick_stopped) const {
  return !tick_stopped || of_.states[state].target_residency_ns >= of_.tick_ns;
}

std::size_t teo::lower_6_12(const candidate& from, bool tick_stopped) const {
  std::size_t suitable = from.state;
  std::uint32_t intercepts = 0;
  for (std::size_t index = from.state; index-- > 0;) {
    intercepts += bins_[index].intercepts;
    const bool open = !of_.states[index].disabled;
    const bool fits = deep_enough(index, tick_stopped);
    if (2 * intercepts > from.intercepts_below) {
      return open && fits ? index : suitable;
    }
    if (open && !fits && suitable == from.state) {
      return from.state;
    }
    if (open && fits) {
      suitable = index;
    }
  }
  return from.state;
}

std::size_t teo::lower_6_18(const candidate& from, bool tick_stopped) const {
  std::size_t least = from.first;
  while (tick_stopped && least < from.state &&
         of_.states[least].target_residency_ns < of_.tick_ns) {
    ++least;
  }
  std::size_t found = from.state;
  std::uint32_t intercepts = 0;
  for (std::size_t index = from.state; index-- > least;) {
    intercepts += bins_[index].intercepts;
    if (of_.states[index].disabled) {
      continue;
    }
    found = index;
    if (2 * intercepts > from.intercepts_below) {
      break;
    }
  }
  return found;
}

bool teo::skips_timer(std::size_t state) const {
  const bool shallow = state == 0 || of_.states[state].target_residency_ns < residency_threshold_ns;
  if (version_ == teo_version::v6_12) {
    return state == 0 || (of_.states[0].polling && shallow);
  }
  return shallow && (2 * short_idles_ >= total_ || of_.latency_limit_ns < latency_threshold_ns);
}

bool teo::intercepted_before_tick() const {
  std::uint32_t intercepts = tick_intercepts_;
  if (version_ == teo_version::v6_12) {
    for (std::size_t index = 0; index < of_.states.size(); ++index) {
      intercepts += bins_[index].intercepts;
    }
  }
  return intercepts > total_ / 2 + total_ / 8;
}

std::size_t teo::shallower(std::size_t state, std::int64_t duration_ns) const {
  std::size_t found = state;
  for (std::size_t index = state; index-- > 0;) {
    if (of_.states[index].disabled) {
      continue;
    }
    found = index;
    if (of_.states[index].target_residency_ns <= duration_ns) {
      break;
    }
  }
  return found;
}

choice teo::finish(const candidate& from, std::size_t state, std::int64_t duration_ns,
                   const situation& now) const {
  if ((!of_.states[state].polling && duration_ns >= of_.tick_ns) || now.tick_stopped) {
    return {.state = state, .stop_tick = true};
  }
  const bool timer_read = sleep_length_ns_ != no_timer_ns;
  const std::int64_t tick_ns = timer_read ? now.next_tick_ns : of_.tick_ns / 2;
  if (state > from.first && of_.states[state].target_residency_ns > tick_ns) {
    state = shallower(state, tick_ns);
  }
  return {.state = state, .stop_tick = false};
}

choice teo::select(const situation& now) {
  sleep_length_ns_ = no_timer_ns;
  const candidate from = deepest();
  if (!from.any) {
    return {.state = 0, .stop_tick = false};
  }
  if (from.state == from.first) {
    return finish(from, from.state, of_.states[from.state].target_residency_ns, now);
  }
  std::size_t state = from.state;
  if (outweighed(from)) {
    state = version_ == teo_version::v6_12 ? lower_6_12(from, now.tick_stopped)
                                           : lower_6_18(from, now.tick_stopped);
  }
  if (version_ == teo_version::v6_12 && state == 0) {  // only the timer tells if that was right
    sleep_length_ns_ = now.sleep_length_ns;
    return {.state = 0, .stop_tick = false};
  }
  state = std::min(state, from.within_limit);
  if (skips_timer(state)) {
    return {.state = state, .stop_tick = false};
  }
  sleep_length_ns_ = now.sleep_length_ns;
  if (state == 0) {
    return {.state = 0, .stop_tick = false};
  }
  if (of_.states[state].target_residency_ns > sleep_length_ns_) {
    const std::size_t lower = shallower(state, sleep_length_ns_);
    if (version_ == teo_version::v6_18 || deep_enough(lower, now.tick_stopped)) {
      state = lower;
    }
  }
  const bool keep_tick =
      of_.states[state].target_residency_ns < of_.tick_ns && intercepted_before_tick();
  return finish(from, state, keep_tick ? of_.tick_ns / 2 : sleep_length_ns_, now);
}

}  // namespace stallscope::cpuidle
