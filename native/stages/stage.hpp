// The parts of a stage that do not depend on the type of its calls: name, counters, registration.
// execution_stage.hpp is the stage itself.
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
  std::size_t max_batch = 64;  // calls per task; 1: every call runs immediately, without a queue
  std::size_t queue_limit = 1024;  // at this length, a new call first runs queued calls
};

// A task of the scheduler. Its thread makes, uses and destroys it; counts() may be called from any
// thread.
class stage : private reactor::task {
 public:
  stage(const stage&) = delete;
  stage& operator=(const stage&) = delete;
  stage(stage&&) = delete;
  stage& operator=(stage&&) = delete;

  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] stage_counts counts() const { return tally_.counts(name_); }
  [[nodiscard]] virtual std::size_t queued() const noexcept = 0;

  // Runs at most `max_calls` queued calls regardless of the quota (which may divide them into
  // several batches). Calls that they queue in other stages are not run. The pending task of this
  // stage still runs, for the remaining calls.
  virtual void run_queued(std::size_t max_calls) = 0;

 protected:
  // Throws std::invalid_argument if the registry rejects the name.
  stage(stage_registry& registry, std::string name);
  // The pending task must have run: the scheduler holds a pointer to it.
  virtual ~stage();

  void schedule() {
    if (!scheduled_) schedule_now();
  }
  // Time of the scheduler: that of the start of the task or batch.
  [[nodiscard]] std::int64_t now_ns() const { return scheduler_.now().count(); }
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
  const std::string name_;
  std::uint32_t number_ = 0;
  bool scheduled_ = false;
};

// The stages of one thread in order of construction. Outlives them.
class stage_registry {
 public:
  // `log`, if not null, receives every batch (batch_log.hpp) and outlives the registry.
  explicit stage_registry(reactor::task_scheduler& scheduler, stage_settings settings = {},
                          batch_log* log = nullptr);

  [[nodiscard]] const stage_settings& settings() const noexcept { return settings_; }
  [[nodiscard]] std::vector<stage_counts> counts() const;
  [[nodiscard]] std::vector<std::string> names() const;
  [[nodiscard]] bool idle() const noexcept;  // no stage has a queued call

  // Runs calls until all stages are idle, at shutdown. No queued call is lost.
  void drain();

  // Calls stage::run_queued() of the stage with this number (order of construction).
  void run_queued(std::size_t number, std::size_t max_calls) {
    stages_.at(number)->run_queued(max_calls);
  }

 private:
  friend class stage;
  // Throws std::invalid_argument if the name is in use or contains characters other than a-z, 0-9
  // and _.
  std::uint32_t add(stage& added, std::string_view name);
  void remove(const stage& removed) noexcept;

  reactor::task_scheduler& scheduler_;
  const stage_settings settings_;
  batch_log* const log_;
  std::vector<stage*> stages_;
};

// Makes a registry the one of its thread for its lifetime, so that a stage needs only a name and a
// function (staged_function.hpp). Scopes nest.
class thread_registry {
 public:
  explicit thread_registry(stage_registry& registry) noexcept;
  thread_registry(const thread_registry&) = delete;
  thread_registry& operator=(const thread_registry&) = delete;
  thread_registry(thread_registry&&) = delete;
  thread_registry& operator=(thread_registry&&) = delete;
  ~thread_registry();

  // Throws std::logic_error if this thread has none.
  [[nodiscard]] static stage_registry& current();

 private:
  stage_registry* before_;
};

}  // namespace stallscope::stages
