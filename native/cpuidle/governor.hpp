// What a cpuidle governor is asked and told, so that idle intervals can be replayed through the
// kernel's rules: select() when a CPU goes idle, reflect() once it has woken. One object serves one
// CPU and keeps its history; it belongs to one thread. Both calls together cost up to 200 ns and
// allocate nothing. Times are in nanoseconds, as in the kernel since 5.5.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <span>

namespace stallscope::cpuidle {

inline constexpr std::size_t most_states = 10;  // CPUIDLE_STATE_MAX
inline constexpr std::int64_t no_timer_ns = std::numeric_limits<std::int64_t>::max();  // KTIME_MAX
inline constexpr std::int64_t no_limit_ns = std::numeric_limits<std::int64_t>::max();
inline constexpr std::int64_t residency_threshold_ns = 15'000;  // drivers/cpuidle/governors/gov.h

// A state as its driver declares it.
struct idle_state {
  std::int64_t exit_latency_ns = 0;
  std::int64_t target_residency_ns = 0;
  bool polling = false;
  bool disabled = false;
};

// What a governor may choose from.
struct machine {
  std::span<const idle_state> states;           // two to most_states, the shallowest first
  std::int64_t latency_limit_ns = no_limit_ns;  // the effective one
  std::int64_t tick_ns = 4'000'000;             // TICK_NSEC
};

// What can be known when a CPU goes idle.
struct situation {
  std::int64_t sleep_length_ns = 0;  // to the next timer, were the tick stopped
  std::int64_t next_tick_ns = 0;     // to the next timer, the tick among them
  bool tick_stopped = false;
};

struct choice {
  std::size_t state = 0;
  bool stop_tick = true;
};

enum class ended_by : std::uint8_t { wakeup, tick, poll_limit };

struct outcome {
  std::size_t state = 0;
  std::int64_t residency_ns = 0;  // with the exit latency, as cpuidle measures it
  ended_by by = ended_by::wakeup;
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
  // How long the polling state is stayed in at most.
  [[nodiscard]] virtual std::int64_t poll_limit_ns() const = 0;
};

enum class kind : std::uint8_t {
  menu_6_1,
  menu_6_12,
  menu_6_18,
  teo_6_12,
  teo_6_18,
  ladder,
  haltpoll,
  fixed
};

// A governor without history. `fixed_state` is the one that kind::fixed always takes.
[[nodiscard]] std::unique_ptr<governor> make_governor(kind which, const machine& of,
                                                      std::size_t fixed_state = 0);

// drivers/cpuidle/cpuidle.c, cpuidle_poll_time(): up to the first enabled state's target residency
// that is no shorter than 10 us, at most a sixteenth of a tick.
[[nodiscard]] std::int64_t usual_poll_limit_ns(const machine& of);

}  // namespace stallscope::cpuidle
