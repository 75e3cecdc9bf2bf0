// A scheduler with a manual loop and clock: one tick() runs one task.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

#include "reactor/task_scheduler.hpp"

namespace stallscope::stages {

class hand_driven_scheduler final : public reactor::task_scheduler {
 public:
  void schedule(reactor::task& work) override { tasks_.push_back(&work); }

  // Runs the next task, whose quota allows `calls` calls. Returns false if there is no task.
  bool tick(std::uint64_t calls = UINT64_MAX) {
    if (tasks_.empty()) {
      return false;
    }
    auto* next = tasks_.front();
    tasks_.pop_front();
    quota_left_ = calls;
    next->run();
    return true;
  }
  void run_all() {
    while (tick()) {
    }
  }
  void advance(std::chrono::nanoseconds by) { now_ += by; }
  // For calls outside a task: an inline flush checks the quota as well.
  void allow(std::uint64_t calls) { quota_left_ = calls; }
  [[nodiscard]] std::size_t scheduled() const { return tasks_.size(); }

 private:
  bool check_quota() override { return quota_left_ == 0 || --quota_left_ == 0; }

  std::deque<reactor::task*> tasks_;
  std::uint64_t quota_left_ = UINT64_MAX;
};

}  // namespace stallscope::stages
