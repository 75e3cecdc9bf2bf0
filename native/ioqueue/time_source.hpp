// The clock of a queue: CLOCK_MONOTONIC, or virtual time that tests and the simulator advance.
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

// A reading costs 20 ns.
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
