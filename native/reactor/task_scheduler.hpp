// What a piece of work sees of the loop that runs it: a queue of tasks, a quota of time, a clock.
// The reactor implements it, tests drive it by hand. Costs: scheduling is a pointer store, now() a
// load, need_preempt() at most one reading of the clock (20 ns), and mostly a load and a store.
// Everything here belongs to the one thread that runs the loop; no other may call it.
#pragma once

#include <chrono>

namespace stallscope::reactor {

// Work that the loop runs later. It is owned by whoever schedules it, and has to outlive its run.
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

  // Runs the task once, later in this turn of the loop, after those scheduled before it. A task
  // may schedule itself again while it runs; scheduled twice before it runs, it runs twice.
  virtual void schedule(task& work) = 0;

  // Whether the running task has used its quota of time: it should schedule itself again for what
  // is left, and return.
  bool need_preempt() {
    if (unread_questions_ == 0) return quota_is_used_up();
    --unread_questions_;
    return false;
  }

  // CLOCK_MONOTONIC, read once a task: good enough to queue by, too coarse to time code with.
  [[nodiscard]] std::chrono::nanoseconds now() const noexcept { return now_; }

 protected:
  ~task_scheduler() = default;

  virtual bool quota_is_used_up() = 0;

  std::chrono::nanoseconds now_{};
  unsigned unread_questions_ = 0;  // so many are answered by no, without a look at the quota
};

}  // namespace stallscope::reactor
