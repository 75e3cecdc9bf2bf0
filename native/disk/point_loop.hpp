// The loop that measures one point. A closed loop keeps exactly `depth` requests in flight; an open
// loop submits requests when they are due and counts latency from the due time. The loop works with
// any channel, so that a simulated device runs through the same code. run() occupies its thread
// until the point is measured; its overhead is about 40 ns per request, more at depth 1, which
// reads the clock twice per request.
//
//   run_control control;
//   measurements results = point_loop{channel, settings, {target, settings}, control}.run(watch);
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "disk/channel.hpp"
#include "disk/measurements.hpp"
#include "disk/offsets.hpp"
#include "disk/plan.hpp"

namespace stallscope::disk {

// Shared with the thread that reports progress and receives stop requests.
struct run_control {
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> requests{0};  // of this point, including the warm-up
};

// Called at the begin and at the end of the window, on the measuring thread.
class window_watch {
 public:
  window_watch() = default;
  virtual ~window_watch() = default;
  virtual void begin() {}
  virtual void end() {}

 protected:
  window_watch(const window_watch&) = default;
  window_watch& operator=(const window_watch&) = default;
  window_watch(window_watch&&) = default;
  window_watch& operator=(window_watch&&) = default;
};

class point_loop {
 public:
  point_loop(disk::channel& channel, const point& settings, disk::offsets offsets,
             run_control& control);

  measurements run(window_watch& watch);
  // Returns the measurements so far, instead of run(). For another thread, after the measuring
  // thread was abandoned in a system call and never continues.
  measurements abandon(std::uint64_t now_ns);

 private:
  struct slot {
    std::uint64_t due_ns = 0;
    std::uint64_t submitted_ns = 0;
    std::uint64_t returned_ns = 0;  // 0: the submission was not timed separately
    bool write = false;
    bool busy = false;
  };

  void fill(std::uint64_t now_ns);
  void start(std::uint64_t due_ns);
  void submit_prepared();
  std::size_t exchange(std::uint64_t now_ns);
  void settle(std::span<const completion> done, std::uint64_t seen_ns, window_watch& watch);
  void record(const slot& finished, std::int32_t result, std::uint64_t seen_ns);
  void advance_window(std::uint64_t now_ns, window_watch& watch);
  void leave_warm_up(std::uint64_t now_ns);
  void close_window(std::uint64_t now_ns, window_watch& watch);
  [[nodiscard]] bool timed_turn() const noexcept;
  [[nodiscard]] bool has_too_many_failures() const noexcept;
  [[nodiscard]] bool is_device_silent(std::uint64_t now_ns) const noexcept;

  disk::channel& channel_;
  const point& settings_;
  disk::offsets offsets_;
  run_control& control_;
  measurements measured_;
  std::vector<slot> slots_;
  std::vector<unsigned> free_;
  std::vector<unsigned> prepared_;  // slots of the next submission
  std::vector<completion> done_;
  std::uint64_t begun_ns_ = 0;
  std::uint64_t interval_ns_ = 0;  // of the open loop
  std::uint64_t next_due_ns_ = 0;
  std::uint64_t stopped_ns_ = 0;  // time of the stop request; 0: none
  std::uint64_t turns_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t failed_ = 0;  // within the window
  enum class phase { warming, measuring, draining } phase_ = phase::warming;
};

}  // namespace stallscope::disk
