// The menu governor of Linux 4.9, and the same governor with the timer as its only input. The
// prediction is the least of the next timer times a learnt factor, the typical length of the last
// eight idle periods, and the timer. The exit latency must fit into the prediction divided by
// 1 + 2 x load x 10 + 10 x tasks that wait for I/O on this CPU. The tick is stopped before the
// choice, and polling has no limit. Used through make_governor(); see governor.hpp for cost and
// thread.
//
// timer_only predicts the next timer itself, and ignores history, load and I/O waiters: what a
// governor without history would choose.
//
// Licence note: the decision rules and constants follow drivers/cpuidle/governors/menu.c of the
// Linux kernel (GPL-2.0), as of Linux 4.9. They are re-implemented here from a description of that
// file; no kernel source text is copied.
#pragma once

#include <array>

#include "cpuidle/governor.hpp"
#include "cpuidle/idle_prediction.hpp"

namespace stallscope::cpuidle {

enum class menu_input : std::uint8_t { all, timer_only };

class menu_4_9 final : public governor {
 public:
  menu_4_9(const idle_table& table, menu_input input);

  choice select(const situation& now) override;
  void reflect(const outcome& last) override;
  std::int64_t poll_limit_ns() const override { return no_timer_ns; }

 private:
  [[nodiscard]] std::uint32_t predict_us(const situation& now);
  [[nodiscard]] std::uint32_t typical_us() const;
  [[nodiscard]] std::size_t first_state() const;

  idle_table table_;
  menu_input input_;
  // Result of the last select().
  std::uint32_t next_timer_us_ = 0;
  std::size_t bucket_ = 0;
  // History.
  std::array<std::uint32_t, 2 * idle_prediction::timer_buckets> factors_;
  std::array<std::uint32_t, idle_prediction::history> intervals_us_{};
  std::size_t next_interval_ = 0;
};

}  // namespace stallscope::cpuidle
