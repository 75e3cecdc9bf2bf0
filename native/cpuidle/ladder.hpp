// The ladder governor, drivers/cpuidle/governors/ladder.c: a step down after four idles that are
// longer than the current state's exit latency, a step up after one that is shorter. It does not
// look at timers, always lets the tick stop, and minds `disable` of deeper states only: the first
// real one stays in use.
//
// The rules and constants are those of the kernel's governor (GPL-2.0). This is an implementation
// of their description and contains no code of Linux.
#pragma once

#include <array>

#include "cpuidle/governor.hpp"

namespace stallscope::cpuidle {

class ladder final : public governor {
 public:
  explicit ladder(const machine& of);

  choice select(const situation& now) override;
  void reflect(const outcome& last) override;
  std::int64_t poll_limit_ns() const override { return poll_limit_ns_; }

 private:
  [[nodiscard]] bool climbs(std::int64_t slept_ns);
  [[nodiscard]] bool must_leave() const;
  [[nodiscard]] std::size_t within_limit() const;

  machine of_;
  std::int64_t poll_limit_ns_;
  std::size_t first_;
  std::size_t current_;
  std::int64_t residency_ns_ = 0;
  std::array<int, most_states> longer_{};  // idles in a row, of each state
};

}  // namespace stallscope::cpuidle
