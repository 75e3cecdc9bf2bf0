// Replays idle intervals through a governor, one governor object for each CPU, and counts what the
// chosen states cost. Some 30 to 220 ns an interval; belongs to one thread, keeps nothing.
//
// An interval ends when something wakes the CPU, however deep it sleeps: the replay changes neither
// what came nor when. The tick runs when a CPU goes idle, as after any task. Where the governor
// leaves it running it wakes the CPU, as the limit of polling does, and the governor chooses again
// for the rest of the interval.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cpuidle/governor.hpp"

namespace stallscope::cpuidle {

// Columns of one length. Ordered by time within each CPU.
struct idle_intervals {
  std::span<const std::uint32_t> cpu;     // dense: 0 to the number of CPUs
  std::span<const std::int64_t> idle_ns;  // until the wake-up's cause
  std::span<const std::int64_t> sleep_length_ns;
  std::span<const std::int64_t> next_tick_ns;
  std::span<const std::uint8_t> ended_by_tick;  // not 0: the last thing that came was the tick
  std::span<const std::uint8_t> entered;        // the states truly entered; empty: unknown
};

inline constexpr std::size_t most_pieces = 64;  // of one interval; the last takes the rest
inline constexpr std::uint32_t most_cpus = 65'536;

struct replay_options {
  kind which = kind::menu_6_18;
  std::size_t fixed_state = 0;
  // The governor is told what the recorded kernel entered, not what itself would have: its choices
  // can then be set against the kernel's one by one.
  bool follow_entered = false;
};

struct state_totals {
  std::uint64_t entries = 0;
  std::uint64_t too_deep = 0;     // as the kernel counts `above`
  std::uint64_t too_shallow = 0;  // and `below`
  std::uint64_t wakeups = 0;      // intervals that ended in this state
  std::int64_t residency_ns = 0;  // without exit latencies
};

struct replay_result {
  std::array<state_totals, most_states> states{};
  std::vector<std::uint8_t> choices;  // the first of each interval
};

// Throws std::invalid_argument where columns differ in length or values are out of range.
[[nodiscard]] replay_result replay(const machine& of, const idle_intervals& intervals,
                                   const replay_options& options);

}  // namespace stallscope::cpuidle
