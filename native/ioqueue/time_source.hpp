// The clock of a queue, passed in: CLOCK_MONOTONIC, or a virtual one that tests and the simulator
// move by hand.
#pragma once

#include <chrono>

#include "base/clock.hpp"

namespace stallscope::ioqueue {

class time_source {
 public:
  [[nodiscard]] virtual std::chrono::nanoseconds now() const noexcept = 0;

 protected:
  ~time_source() = default;
};

// 20 ns a reading.
class monotonic_time final : public time_source {
 public:
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept override {
    return std::chrono::nanoseconds(monotonic_ns());
  }
};

class virtual_time final : public time_source {
 public:
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept override { return now_; }
  void move_to(std::chrono::nanoseconds when) noexcept { now_ = when; }

 private:
  std::chrono::nanoseconds now_{0};
};

}  // namespace stallscope::ioqueue
