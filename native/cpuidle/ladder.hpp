// The ladder governor: moves one state deeper after four idle periods that exceed the current
// state's exit latency, and one state shallower after a period below it. It does not read timers,
// always stops the tick, and respects `disable` only for deeper states: the first state after
// polling stays in use. Used through make_governor(); see governor.hpp for cost and thread.
//
// Licence note: the decision rules and constants follow drivers/cpuidle/governors/ladder.c of the
// Linux kernel (GPL-2.0). They are re-implemented here from a description of that file; no kernel
// source text is copied. One implementation serves Linux 6.1 to 6.18.
#pragma once

#include <array>

#include "cpuidle/governor.hpp"

namespace stallscope::cpuidle {

class ladder final : public governor {
 public:
  explicit ladder(const idle_table& table);

  choice select(const situation& now) override;
  void reflect(const outcome& last) override;
  std::int64_t poll_limit_ns() const override { return poll_limit_ns_; }

 private:
  [[nodiscard]] bool climbs(std::int64_t slept_ns);
  [[nodiscard]] bool must_leave() const;
  [[nodiscard]] std::size_t within_limit() const;

  idle_table table_;
  std::int64_t poll_limit_ns_;
  std::size_t first_;
  std::size_t current_;
  std::int64_t residency_ns_ = 0;
  std::array<int, max_states> longer_{};  // consecutive long idle periods, by state
};

}  // namespace stallscope::cpuidle
