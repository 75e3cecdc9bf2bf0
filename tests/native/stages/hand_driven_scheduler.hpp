// A scheduler whose loop and clock the test turns by hand: each run of a task is one tick().
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>

#include "reactor/task_scheduler.hpp"

namespace stallscope::stages {

class hand_driven_scheduler final : public reactor::task_scheduler {
 public:
  void schedule(reactor::task& work) override { tasks_.push_back(&work); }

  // Runs the next task, which may make `calls` calls until its quota is used up. False: there is
  // none.
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
  // For calls outside a task: an inline flush asks as well.
  void allow(std::uint64_t calls) { quota_left_ = calls; }
  [[nodiscard]] std::size_t scheduled() const { return tasks_.size(); }

 private:
  bool quota_is_used_up() override { return quota_left_ == 0 || --quota_left_ == 0; }

  std::deque<reactor::task*> tasks_;
  std::uint64_t quota_left_ = UINT64_MAX;
};

}  // namespace stallscope::stages
