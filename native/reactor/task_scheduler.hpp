// The part of the event loop that a task sees: a task queue, a time quota and a clock. The reactor
// implements it; tests drive it by hand.
//
// Cost: scheduling is a pointer store, now() is a load, need_preempt() is usually a load and a
// store and at most one clock read (20 ns).
//
// Thread: only the thread that runs the loop may call it.
#pragma once

#include <algorithm>
#include <chrono>
#include <cstddef>

namespace stallscope::reactor {

// Work that the loop runs later. The owner keeps the task alive until it has run.
class task {
 public:
  task() = default;
  task(const task&) = delete;
  task& operator=(const task&) = delete;
  task(task&&) = delete;
  task& operator=(task&&) = delete;

  virtual void run() = 0;

 protected:
  ~task() = default;
};

class task_scheduler {
 public:
  task_scheduler() = default;
  task_scheduler(const task_scheduler&) = delete;
  task_scheduler& operator=(const task_scheduler&) = delete;
  task_scheduler(task_scheduler&&) = delete;
  task_scheduler& operator=(task_scheduler&&) = delete;

  // Runs the task once, later in this turn, after the tasks that were scheduled earlier. A running
  // task may schedule itself again. A task that is scheduled twice before it runs, runs twice.
  virtual void schedule(task& work) = 0;

  // Whether the running task has used up its time quota. If so, the task schedules itself again for
  // the remaining work and returns.
  bool need_preempt() {
    if (unchecked_calls_ == 0) return check_quota();
    --unchecked_calls_;
    return false;
  }

  // Skips at most `max_count` calls of need_preempt() that would return false without reading the
  // clock; returns their number.
  std::size_t skip_checks(std::size_t max_count) {
    const auto skipped = std::min(max_count, static_cast<std::size_t>(unchecked_calls_));
    unchecked_calls_ -= static_cast<unsigned>(skipped);
    return skipped;
  }

  // CLOCK_MONOTONIC, read once per task. Precise enough for queueing delays, too coarse to time
  // code.
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept { return now_; }

 protected:
  ~task_scheduler() = default;

  virtual bool check_quota() = 0;

  std::chrono::nanoseconds now_{};
  unsigned unchecked_calls_ = 0;  // calls of need_preempt() that return false without a clock read
};

}  // namespace stallscope::reactor
