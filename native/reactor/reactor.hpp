// The event loop of one thread. A turn waits for descriptors (epoll, level-triggered) and timers,
// calls their handlers, runs the scheduled tasks, and then calls the end-of-turn task, which writes
// replies.
//
//     reactor loop;
//     loop.watch(socket.get(), EPOLLIN, handler);       // handler.on_events(events)
//     loop.arm(timeout, loop.now() + 100ms);            // timeout.fire(), once
//     loop.schedule(work);                              // work.run(), later in this turn
//     loop.run();                                       // until stop()
//
// Cost: one epoll_wait and about two clock reads per turn, for any number of requests. io_uring was
// measured and was not faster (docs/decisions/0013-server.md).
//
// Thread: all members belong to the thread that calls run().
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

// Receives the events of a descriptor. on_events() may unwatch this handler or others.
class event_handler {
 public:
  virtual void on_events(std::uint32_t events) = 0;

 protected:
  ~event_handler() = default;
};

// A one-shot timer: armed once, it fires once.
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
  // Throws std::system_error if epoll_create1 fails.
  explicit reactor(const reactor_settings& settings = {});

  void schedule(task& work) override { tasks_.push(work); }
  // Makes room for this many scheduled tasks; up to this number, schedule() does not allocate.
  void reserve_tasks(std::size_t tasks) { tasks_.reserve(tasks); }
  // Runs the scheduled tasks before the remaining descriptors of this turn, instead of after them.
  void run_tasks_soon() { tasks_soon_ = true; }
  // Whether this turn has no further event to dispatch and no task to run.
  [[nodiscard]] bool has_no_pending_work() const noexcept {
    return next_event_ >= fetched_ && tasks_.empty();
  }

  // Reports `events` (EPOLLIN, EPOLLOUT) of a descriptor to the handler. Throws std::system_error.
  void watch(int fd, std::uint32_t events, event_handler& handler);
  void change(int fd, std::uint32_t events, event_handler& handler);
  // Events that are already fetched are dropped as well.
  void unwatch(int fd, const event_handler& handler) noexcept;

  void arm(timer& at_time, std::chrono::nanoseconds when);
  void disarm(const timer& at_time);

  // Tasks that run in every turn: one at its start, after the clock was read, and one at its end,
  // after all tasks. Tasks that the end-of-turn task schedules run in the next turn, which then
  // does not wait.
  void at_turn_start(task& work) { turn_start_ = &work; }
  void at_turn_end(task& work) { turn_end_ = &work; }

  // Runs until stop(). An exception of a handler or a task leaves run().
  void run();
  void stop() { stopped_ = true; }
  // Runs one turn and waits at most `longest`.
  void turn(std::chrono::nanoseconds longest);

 private:
  struct armed_timer {
    std::chrono::nanoseconds when;
    std::uint64_t number;
    timer* at_time;
  };
  static constexpr std::size_t max_events = 512;

  // Reads the clock in a share of the calls only.
  bool check_quota() override;
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
  std::array<epoll_event, max_events> events_{};
  std::size_t fetched_ = 0;
  std::size_t next_event_ = 0;  // index of the next event to dispatch
  std::chrono::nanoseconds last_reading_{};
  unsigned skipped_checks_ = 0;
  bool preempted_ = false;
  bool tasks_soon_ = false;
  bool stopped_ = false;
};

}  // namespace stallscope::reactor
