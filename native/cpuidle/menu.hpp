// The menu governor: predicts the idle length as the lesser of two values, the next timer times a
// learnt factor, and the typical length of the last eight idle periods. Used through
// make_governor(); see governor.hpp for cost and thread.
//
// Versions differ. 6.1 always reads the timer; 6.12 and 6.18 read it only if the typical length
// exceeds 15 us (6.18 also if the tick is stopped). 6.1 and 6.12 drop the largest period
// repeatedly, and choose no state whose exit latency exceeds the prediction; 6.18 drops the period
// farther from the average, and checks only the latency limit. 6.1 also divides the prediction by
// 1 + 10 x the tasks that wait for I/O on this CPU before it is compared with exit latencies.
//
// Licence note: the decision rules and constants follow drivers/cpuidle/governors/menu.c of the
// Linux kernel (GPL-2.0), as of Linux 6.1, 6.12 and 6.18. They are re-implemented here from a
// description of that file; no kernel source text is copied.
#pragma once

#include <array>

#include "cpuidle/governor.hpp"
#include "cpuidle/idle_prediction.hpp"

namespace stallscope::cpuidle {

enum class menu_version : std::uint8_t { v6_1, v6_12, v6_18 };

class menu final : public governor {
 public:
  menu(const idle_table& table, menu_version version);

  choice select(const situation& now) override;
  void reflect(const outcome& last) override;
  std::int64_t poll_limit_ns() const override { return poll_limit_ns_; }

 private:
  // Timers, and for 6.1 timers with tasks that wait for I/O.
  static constexpr std::size_t buckets = 2 * idle_prediction::timer_buckets;

  void look_at_timer(const situation& now);
  [[nodiscard]] std::uint64_t timer_times_factor_us() const;
  void predict(const situation& now);
  [[nodiscard]] std::uint32_t typical_without_largest_us(std::uint64_t predicted_us) const;
  [[nodiscard]] std::uint32_t typical_without_outlier_us() const;
  [[nodiscard]] bool must_be_first_state() const;
  [[nodiscard]] choice deepest_within(const situation& now);
  [[nodiscard]] bool leaves_polling_for(const idle_state& state, const idle_state& so_far,
                                        std::int64_t limit_ns) const;
  [[nodiscard]] std::size_t shallower_than_tick(std::size_t state) const;
  void note_interval(std::int64_t measured_ns);

  idle_table table_;
  menu_version version_;
  std::int64_t poll_limit_ns_;
  // Result of the last select().
  std::int64_t next_timer_ns_ = 0;
  std::int64_t next_tick_ns_ = 0;
  std::int64_t predicted_ns_ = 0;
  std::size_t bucket_ = 0;
  // History.
  std::array<std::uint32_t, buckets> factors_;
  std::array<std::uint32_t, idle_prediction::history> intervals_us_{};
  std::size_t next_interval_ = 0;
};

}  // namespace stallscope::cpuidle
