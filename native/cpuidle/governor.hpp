// Interface of the kernel's cpuidle governors, for replaying recorded idle intervals.
//
// select() runs when a CPU goes idle and chooses a state; reflect() runs after the wake-up and
// updates the governor's history. One object serves one CPU and belongs to one thread. Both calls
// together cost up to 200 ns and allocate nothing. Times are in nanoseconds, as in Linux 5.5 and
// later.
//
//   const auto governor = make_governor(governor_kind::menu_6_18, {.states = states});
//   const choice chosen = governor->select({.sleep_length_ns = 5'000'000,
//                                           .next_tick_ns = 2'000'000});
//   governor->reflect({.state = chosen.state, .residency_ns = 250'000});
//
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace stallscope::cpuidle {

inline constexpr std::size_t max_states = 10;  // CPUIDLE_STATE_MAX
inline constexpr std::int64_t no_timer_ns = std::numeric_limits<std::int64_t>::max();  // KTIME_MAX
inline constexpr std::int64_t no_limit_ns = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t residency_threshold_ns = 15'000;  // drivers/cpuidle/governors/gov.h

// An idle state as its driver declares it.
struct idle_state {
  std::int64_t exit_latency_ns = 0;
  std::int64_t target_residency_ns = 0;
  bool polling = false;
  bool disabled = false;
};

// The idle states of a CPU and the limits on their use.
struct idle_table {
  std::span<const idle_state> states;           // 2 to max_states, shallowest first
  std::int64_t latency_limit_ns = no_limit_ns;  // effective PM QoS limit
  std::int64_t tick_ns = 4'000'000;             // TICK_NSEC
};

// State of the timers, and of the waiting tasks, when a CPU goes idle.
struct situation {
  std::int64_t sleep_length_ns = 0;  // until the next timer if the tick is stopped
  std::int64_t next_tick_ns = 0;     // until the next timer, including the tick
  bool tick_stopped = false;
  std::uint32_t io_waiters = 0;       // tasks that wait for I/O on this CPU
  std::uint32_t load_hundredths = 0;  // this CPU's load times 100
};

struct choice {
  std::size_t state = 0;
  bool stop_tick = true;
};

enum class end_cause : std::uint8_t { wakeup, tick, poll_limit };

struct outcome {
  std::size_t state = 0;
  std::int64_t residency_ns = 0;  // includes the exit latency, as cpuidle measures it
  end_cause cause = end_cause::wakeup;
};

class governor {
 public:
  governor() = default;
  governor(const governor&) = delete;
  governor& operator=(const governor&) = delete;
  governor(governor&&) = delete;
  governor& operator=(governor&&) = delete;
  virtual ~governor() = default;

  [[nodiscard]] virtual choice select(const situation& now) = 0;
  virtual void reflect(const outcome& last) = 0;
  // Maximum time in the polling state.
  [[nodiscard]] virtual std::int64_t poll_limit_ns() const = 0;
};

enum class governor_kind : std::uint8_t {
  menu_4_9,
  menu_timer,
  menu_6_1,
  menu_6_12,
  menu_6_18,
  teo_6_12,
  teo_6_18,
  ladder,
  haltpoll,
  fixed
};

// Returns a governor without history. `fixed_state` is the state that governor_kind::fixed chooses.
// Throws std::invalid_argument if the table or the state is out of range.
[[nodiscard]] std::unique_ptr<governor> make_governor(governor_kind which, const idle_table& table,
                                                      std::size_t fixed_state = 0);

// Default polling limit, as cpuidle_poll_time() in drivers/cpuidle/cpuidle.c: the first target
// residency of at least 10 us among the enabled states, and at most a sixteenth of a tick.
[[nodiscard]] std::int64_t default_poll_limit_ns(const idle_table& table);

}  // namespace stallscope::cpuidle
