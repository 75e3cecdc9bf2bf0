// The loop of one thread: waits for descriptors (epoll, level-triggered) and timers, then runs the
// tasks that they scheduled, then ends the turn, which is when replies are written. A turn costs
// one epoll_wait and some two readings of the clock, however many requests it carries. io_uring was
// measured and was no faster (docs/decisions/0013-server.md). Everything belongs to the thread that
// calls run().
#pragma once

#include <sys/epoll.h>

#include <array>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/descriptor.hpp"
#include "reactor/task_queue.hpp"
#include "reactor/task_scheduler.hpp"

namespace stallscope::reactor {

// Whoever waits for a descriptor. It may forget itself, or others, from within.
class event_handler {
 public:
  virtual void on_events(std::uint32_t events) = 0;

 protected:
  ~event_handler() = default;
};

// Something that happens at a time. Armed once, it fires once.
class timer {
 public:
  virtual void fire() = 0;

 protected:
  ~timer() = default;
};

struct reactor_settings {
  std::chrono::nanoseconds task_quota = std::chrono::microseconds{500};
  std::chrono::nanoseconds (*clock)() = nullptr;  // null: CLOCK_MONOTONIC
};

class reactor final : public task_scheduler {
 public:
  // Throws std::system_error where the kernel gives no epoll descriptor.
  explicit reactor(const reactor_settings& settings = {});

  void schedule(task& work) override { tasks_.push(work); }
  // What is scheduled runs before further descriptors of this turn are looked at, not after all.
  void run_tasks_soon() { tasks_soon_ = true; }
  // Whether this turn has neither a further descriptor to look at nor a task to run.
  [[nodiscard]] bool nothing_waits() const noexcept {
    return next_event_ >= fetched_ && tasks_.empty();
  }

  // Waits for `events` (EPOLLIN, EPOLLOUT) of a descriptor. Throws std::system_error.
  void watch(int fd, std::uint32_t events, event_handler& handler);
  void change(int fd, std::uint32_t events, event_handler& handler);
  // Events that were fetched already do not reach the handler either.
  void forget(int fd, const event_handler& handler);

  void arm(timer& at_time, std::chrono::nanoseconds when);
  void disarm(const timer& at_time);

  // Run in every turn, one each at most: at its beginning, when the clock was read, and at its end,
  // after its tasks. What the end schedules runs in the next turn, which then does not wait.
  void at_turn_start(task& work) { turn_start_ = &work; }
  void at_turn_end(task& work) { turn_end_ = &work; }

  // Until stop(); an exception of a handler or task ends it.
  void run();
  void stop() { stopped_ = true; }
  // One turn, waiting no longer than `longest`.
  void turn(std::chrono::nanoseconds longest);

 private:
  struct armed_timer {
    std::chrono::nanoseconds when;
    std::uint64_t number;
    timer* at_time;
  };
  static constexpr std::size_t most_events = 512;

  // The clock is read only at some of the questions for preemption.
  bool quota_is_used_up() override;
  void read_clock() { now_ = clock_(); }
  [[nodiscard]] int wait_ms(std::chrono::nanoseconds longest);
  void fetch_events(int timeout_ms);
  void dispatch();
  void fire_timers();
  void run_tasks();

  std::chrono::nanoseconds (*clock_)();
  std::chrono::nanoseconds task_quota_;
  descriptor epoll_;
  task_queue tasks_;
  std::vector<armed_timer> timers_;
  std::uint64_t times_armed_ = 0;
  task* turn_start_ = nullptr;
  task* turn_end_ = nullptr;
  std::array<epoll_event, most_events> events_{};
  std::size_t fetched_ = 0;
  std::size_t next_event_ = 0;  // of these, to be looked at
  std::chrono::nanoseconds last_reading_{};
  unsigned questions_ = 0;
  bool preempted_ = false;
  bool tasks_soon_ = false;
  bool stopped_ = false;
};

}  // namespace stallscope::reactor
