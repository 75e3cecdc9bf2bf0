#include "cpuidle/teo.hpp"

#include <algorithm>

namespace stallscope::cpuidle {
namespace {

constexpr std::int64_t latency_threshold_ns = residency_threshold_ns / 2;

}  // namespace

teo::teo(const idle_table& table, teo_version version)
    : table_(table),
      version_(version),
      poll_limit_ns_(default_poll_limit_ns(table)),
      bins_(table_, version) {}

teo::candidate teo::find_candidate() const {
  candidate deepest;
  deepest.any = !table_.states[0].disabled;
  std::uint32_t intercepts = 0;
  std::uint32_t hits = 0;
  for (std::size_t index = 1; index < table_.states.size(); ++index) {
    intercepts += bins_.of_state(index - 1).intercepts;
    hits += bins_.of_state(index - 1).hits;
    const idle_state& state = table_.states[index];
    if (state.disabled) {
      continue;
    }
    if (!deepest.any) {
      deepest.first = index;
      deepest.any = true;
    }
    deepest.state = index;
    if (state.exit_latency_ns <= table_.latency_limit_ns) {
      deepest.within_limit = index;
    }
    deepest.intercepts_below = intercepts;
    deepest.hits_below = hits;
  }
  return deepest;
}

bool teo::outweighed(const candidate& deepest) const {
  return 2 * deepest.intercepts_below > bins_.total() - deepest.hits_below;
}

bool teo::deep_enough(std::size_t state, bool tick_stopped) const {
  return !tick_stopped || table_.states[state].target_residency_ns >= table_.tick_ns;
}

std::size_t teo::lower_6_12(const candidate& deepest, bool tick_stopped) const {
  std::size_t suitable = deepest.state;
  std::uint32_t intercepts = 0;
  for (std::size_t index = deepest.state; index-- > 0;) {
    intercepts += bins_.of_state(index).intercepts;
    const bool open = !table_.states[index].disabled;
    const bool fits = deep_enough(index, tick_stopped);
    if (2 * intercepts > deepest.intercepts_below) {
      return open && fits ? index : suitable;
    }
    if (open && !fits && suitable == deepest.state) {
      return deepest.state;
    }
    if (open && fits) {
      suitable = index;
    }
  }
  return deepest.state;
}

std::size_t teo::lower_6_18(const candidate& deepest, bool tick_stopped) const {
  std::size_t least = deepest.first;
  while (tick_stopped && least < deepest.state &&
         table_.states[least].target_residency_ns < table_.tick_ns) {
    ++least;
  }
  std::size_t chosen = deepest.state;
  std::uint32_t intercepts = 0;
  for (std::size_t index = deepest.state; index-- > least;) {
    intercepts += bins_.of_state(index).intercepts;
    if (table_.states[index].disabled) {
      continue;
    }
    chosen = index;
    if (2 * intercepts > deepest.intercepts_below) {
      break;
    }
  }
  return chosen;
}

bool teo::skips_timer(std::size_t state) const {
  const bool shallow =
      state == 0 || table_.states[state].target_residency_ns < residency_threshold_ns;
  if (version_ == teo_version::v6_12) {
    return state == 0 || (table_.states[0].polling && shallow);
  }
  return shallow && (bins_.short_idles_prevail() || table_.latency_limit_ns < latency_threshold_ns);
}

// The deepest enabled state above `state` whose target residency fits into the duration, otherwise
// the shallowest enabled one.
std::size_t teo::shallower(std::size_t state, std::int64_t duration_ns) const {
  const auto above = table_.states.first(state);
  const auto is_enabled = [](const idle_state& candidate) { return !candidate.disabled; };
  const auto fits = [&](const idle_state& candidate) {
    return is_enabled(candidate) && candidate.target_residency_ns <= duration_ns;
  };
  const auto deepest = std::find_if(above.rbegin(), above.rend(), fits);
  if (deepest != above.rend()) {
    return static_cast<std::size_t>(above.rend() - deepest) - 1;
  }
  const auto shallowest = std::find_if(above.begin(), above.end(), is_enabled);
  return static_cast<std::size_t>(shallowest - above.begin());
}

choice teo::finish(const candidate& deepest, std::size_t state, std::int64_t duration_ns,
                   const situation& now) const {
  if ((!table_.states[state].polling && duration_ns >= table_.tick_ns) || now.tick_stopped) {
    return {.state = state, .stop_tick = true};
  }
  const bool timer_read = sleep_length_ns_ != no_timer_ns;
  const std::int64_t tick_ns = timer_read ? now.next_tick_ns : table_.tick_ns / 2;
  if (state > deepest.first && table_.states[state].target_residency_ns > tick_ns) {
    state = shallower(state, tick_ns);
  }
  return {.state = state, .stop_tick = false};
}

choice teo::select(const situation& now) {
  sleep_length_ns_ = no_timer_ns;
  const candidate deepest = find_candidate();
  if (!deepest.any) {
    return {.state = 0, .stop_tick = false};
  }
  if (deepest.state == deepest.first) {
    return finish(deepest, deepest.state, table_.states[deepest.state].target_residency_ns, now);
  }
  std::size_t state = deepest.state;
  if (outweighed(deepest)) {
    state = version_ == teo_version::v6_12 ? lower_6_12(deepest, now.tick_stopped)
                                           : lower_6_18(deepest, now.tick_stopped);
  }
  if (version_ == teo_version::v6_12 &&
      state == 0) {  // reflect() needs the timer to judge the choice
    sleep_length_ns_ = now.sleep_length_ns;
    return {.state = 0, .stop_tick = false};
  }
  state = std::min(state, deepest.within_limit);
  if (skips_timer(state)) {
    return {.state = state, .stop_tick = false};
  }
  sleep_length_ns_ = now.sleep_length_ns;
  if (state == 0) {
    return {.state = 0, .stop_tick = false};
  }
  if (table_.states[state].target_residency_ns > sleep_length_ns_) {
    const std::size_t lower = shallower(state, sleep_length_ns_);
    if (version_ == teo_version::v6_18 || deep_enough(lower, now.tick_stopped)) {
      state = lower;
    }
  }
  const bool keep_tick =
      table_.states[state].target_residency_ns < table_.tick_ns && bins_.intercepted_before_tick();
  return finish(deepest, state, keep_tick ? table_.tick_ns / 2 : sleep_length_ns_, now);
}

}  // namespace stallscope::cpuidle
