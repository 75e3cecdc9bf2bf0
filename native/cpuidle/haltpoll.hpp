// The haltpoll governor for guests: polls before it halts, up to a limit. The limit doubles from
// 50 us to 200 us when a halt was short enough for polling to have caught the wake-up, and halves
// when the halt was longer. It knows two states and ignores `disable` and target residencies; it
// always polls only if the latency limit is 0. Used through make_governor(); see governor.hpp for
// cost and thread.
//
// Licence note: the decision rules and constants follow drivers/cpuidle/governors/haltpoll.c of the
// Linux kernel (GPL-2.0). They are re-implemented here from a description of that file; no kernel
// source text is copied. One implementation serves Linux 6.1 to 6.18.
#pragma once

#include "cpuidle/governor.hpp"

namespace stallscope::cpuidle {

class haltpoll final : public governor {
 public:
  explicit haltpoll(const idle_table& table) : table_(table) {}

  choice select(const situation& now) override;
  void reflect(const outcome& last) override;
  std::int64_t poll_limit_ns() const override;

 private:
  idle_table table_;
  std::int64_t limit_ns_ = 0;
  bool polled_ = false;      // the last state was the polling state
  bool polled_out_ = false;  // and the polling limit expired
};

}  // namespace stallscope::cpuidle
