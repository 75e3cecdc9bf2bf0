// Idle states of a Xeon X5650 with intel_idle (nehalem_cstates), with POLL first, and a fixture
// that drives a governor. Times are in microseconds.
#pragma once

#include <array>
#include <memory>
#include <vector>

#include "cpuidle/governor.hpp"

namespace stallscope::cpuidle::x5650 {

inline constexpr std::size_t poll = 0;
inline constexpr std::size_t c1 = 1;
inline constexpr std::size_t c1e = 2;
inline constexpr std::size_t c3 = 3;
inline constexpr std::size_t c6 = 4;

inline constexpr std::int64_t us = 1000;

inline constexpr std::array<idle_state, 5> states{{
    {.exit_latency_ns = 0, .target_residency_ns = 0, .polling = true},
    {.exit_latency_ns = 3 * us, .target_residency_ns = 6 * us},
    {.exit_latency_ns = 10 * us, .target_residency_ns = 20 * us},
    {.exit_latency_ns = 20 * us, .target_residency_ns = 80 * us},
    {.exit_latency_ns = 200 * us, .target_residency_ns = 800 * us},
}};

// A governor of one CPU. The reported residency is the idle time plus the state's exit latency.
struct governor_fixture {
  explicit governor_fixture(governor_kind which, std::int64_t limit_ns = no_limit_ns)
      : governor(make_governor(which, {.states = states, .latency_limit_ns = limit_ns})) {}

  choice go_idle(std::int64_t idle_us, situation now, end_cause cause = end_cause::wakeup) {
    const choice chosen = governor->select(now);
    governor->reflect({.state = chosen.state,
                       .residency_ns = idle_us * us + states[chosen.state].exit_latency_ns,
                       .cause = cause});
    return chosen;
  }

  std::vector<std::size_t> repeat(int times, std::int64_t idle_us, situation now) {
    std::vector<std::size_t> chosen;
    for (int n = 0; n < times; ++n) {
      chosen.push_back(go_idle(idle_us, now).state);
    }
    return chosen;
  }

  std::unique_ptr<cpuidle::governor> governor;
};

// The next timer is 5 ms away, the next tick 2 ms.
inline constexpr situation timer_in_5_ms{.sleep_length_ns = 5000 * us, .next_tick_ns = 2000 * us};

}  // namespace stallscope::cpuidle::x5650
