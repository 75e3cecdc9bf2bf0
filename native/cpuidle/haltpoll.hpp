// The haltpoll governor of guests, drivers/cpuidle/governors/haltpoll.c: polls before it halts, up
// to a limit that doubles from 50 us to 200 us when a halt was short enough to have been polled,
// and halves when it was longer. It knows two states and minds neither `disable` nor residencies;
// only a latency limit of 0 keeps it polling.
//
// The rules and constants are those of the kernel's governor (GPL-2.0). This is an implementation
// of their description and contains no code of Linux.
#pragma once

#include "cpuidle/governor.hpp"

namespace stallscope::cpuidle {

class haltpoll final : public governor {
 public:
  explicit haltpoll(const machine& of) : of_(of) {}

  choice select(const situation& now) override;
  void reflect(const outcome& last) override;
  std::int64_t poll_limit_ns() const override;

 private:
  machine of_;
  std::int64_t limit_ns_ = 0;
  bool polled_ = false;      // the last state was the polling one
  bool polled_out_ = false;  // and nothing came within the limit
};

}  // namespace stallscope::cpuidle
