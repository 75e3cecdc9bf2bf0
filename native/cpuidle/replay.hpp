// Replays idle intervals through a governor, with one governor object per CPU, and counts how often
// the chosen states were too deep or too shallow. Costs about 30 to 220 ns per interval. Call it
// from any thread; it keeps no state between calls.
//
//   const replay_result result = replay({.states = states}, intervals,
//                                       {.governor = governor_kind::teo_6_18});
//   result.states[3].too_deep;
//
// An interval ends when something wakes the CPU, whatever state it is in: the replay changes
// neither the wake-ups nor their times. The tick runs when a CPU goes idle, as after any task. If
// the governor keeps the tick, the tick wakes the CPU, as the polling limit does, and the governor
// chooses again for the rest of the interval.
#pragma once

#include <array>
#include <cstdint>
#include <span>
#include <vector>

#include "cpuidle/governor.hpp"

namespace stallscope::cpuidle {

// Columns of equal length, ordered by time within each CPU.
struct idle_intervals {
  std::span<const std::uint32_t> cpu;     // dense: 0 to the number of CPUs
  std::span<const std::int64_t> idle_ns;  // until the event that woke the CPU
  std::span<const std::int64_t> sleep_length_ns;
  std::span<const std::int64_t> next_tick_ns;
  std::span<const std::uint8_t> ended_by_tick;  // not 0: the tick ended the interval
  std::span<const std::uint8_t>
      entered;  // states that the recorded kernel entered; empty if unknown
  std::span<const std::uint32_t> io_waiters = {};       // at the entry; empty: none
  std::span<const std::uint32_t> load_hundredths = {};  // at the entry; empty: 0
};

inline constexpr std::size_t max_pieces = 64;  // per interval; the last piece covers the rest
inline constexpr std::uint32_t max_cpus = 65'536;

struct replay_options {
  governor_kind governor = governor_kind::menu_6_18;
  std::size_t fixed_state = 0;
  // Reflect the state that the recorded kernel entered instead of the governor's own choice. The
  // choices can then be compared with the kernel's one by one.
  bool follow_entered = false;
};

struct state_totals {
  std::uint64_t entries = 0;
  std::uint64_t too_deep = 0;     // the kernel's `above` count
  std::uint64_t too_shallow = 0;  // the kernel's `below` count
  std::uint64_t wakeups = 0;      // intervals that ended in this state
  std::int64_t residency_ns = 0;  // excludes exit latencies
};

struct replay_result {
  std::array<state_totals, max_states> states{};
  std::vector<std::uint8_t> choices;  // the first choice per interval
};

// Throws std::invalid_argument if columns differ in length or values are out of range.
[[nodiscard]] replay_result replay(const idle_table& table, const idle_intervals& intervals,
                                   const replay_options& options);

}  // namespace stallscope::cpuidle
