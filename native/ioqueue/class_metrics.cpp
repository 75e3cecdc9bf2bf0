#include "ioqueue/class_metrics.hpp"

namespace stallscope::ioqueue {

void class_metrics::reset(std::chrono::nanoseconds now) {
  const std::uint64_t queued_now = queued;
  const std::uint64_t executing_now = executing;
  by_direction = {};
  submitted = queued_now + executing_now;
  done = failed = cancelled = expired = rejected = split = limit_hits = token_waits = 0;
  queued_ns = executing_ns = starved_ns = 0;
  delay.reset();
  execution.reset();
  total.reset();
  advanced_to_ = now;
}

}  // namespace stallscope::ioqueue
