// What all stages of a thread share, whatever their calls are: a name, counts, a place among the
// others. execution_stage.hpp is the stage itself.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "reactor/task_scheduler.hpp"
#include "stages/stage_counts.hpp"

namespace stallscope::stages {

class batch_log;
class stage_registry;

struct stage_settings {
  std::size_t max_batch = 64;      // calls a task; 1: each call runs at once, without a queue
  std::size_t queue_limit = 1024;  // a call beyond it first runs what is queued
};

// A task of the thread's scheduler. Made, used and destroyed by that thread; counts() by any.
class stage : private reactor::task {
 public:
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;
  stage(stage&&) = delete;
  stage& operator=(stage&&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] stage_counts counts() const { return tally_.counts(name_); }
  [[nodiscard]] virtual std::size_t queued() const noexcept = 0;

  // Runs queued calls, at most so many, whatever the quota says (which then divides them into
  // several batches); what they queue in other stages stays there. The task that was scheduled for
  // them runs all the same, for what is left.
  virtual void run_queued(std::size_t most) = 0;

 protected:
  // Throws std::invalid_argument where the registry refuses the name.
  stage(stage_registry& registry, std::string name);
  // Its task must have run: the scheduler holds a pointer to it until then.
  virtual ~stage();

  void schedule() {
    if (!scheduled_) schedule_now();
  }
  // The scheduler's time; within a batch, that of its beginning.
  [[nodiscard]] std::int64_t present_ns() const;
  std::int64_t begin_batch();
  void ended_batch(std::size_t calls) noexcept;
  void count_batch(std::size_t calls) noexcept;

  reactor::task_scheduler& scheduler_;
  const stage_settings settings_;
  stage_tally tally_;

 private:
  void schedule_now();
  void run() final {
    scheduled_ = false;
    run_task();
  }
  virtual void run_task() = 0;

  stage_registry& registry_;
  std::int64_t time_before_ = 0;
  const std::string name_;
  std::uint32_t number_ = 0;
  bool scheduled_ = false;
};

// The stages of one thread, in the order they were made. Outlives them.
class stage_registry {
 public:
  // `log`, where given, gets every batch (batch_log.hpp) and outlives the registry.
  explicit stage_registry(reactor::task_scheduler& scheduler, stage_settings settings = {},
                          batch_log* log = nullptr);

  [[nodiscard]] const stage_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] std::vector<stage_counts> counts() const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool idle() const noexcept;  // no call is queued in any stage

  // Runs calls until all stages are idle, for shutdown: nothing that was enqueued is lost.
  void drain();

  // As stage::run_queued() of the stage of this number, in the order they were made.
  void run_queued(std::size_t number, std::size_t most) { stages_.at(number)->run_queued(most); }

 private:
  friend class stage;
  // Throws std::invalid_argument: a stage has this name, or it is not of a-z, 0-9 and _.
  std::uint32_t add(stage& added, std::string_view name);
  void remove(const stage& removed) noexcept;

  reactor::task_scheduler& scheduler_;
  const stage_settings settings_;
  batch_log* const log_;
  std::vector<stage*> stages_;
  std::int64_t batch_time_ns_ = no_batch;
  static constexpr std::int64_t no_batch = 0;
};

inline std::int64_t stage::present_ns() const {
  const auto time_ns = registry_.batch_time_ns_;
  return time_ns != stage_registry::no_batch ? time_ns : scheduler_.now().count();
}

}  // namespace stallscope::stages
