// The loop that measures one point: keeps a channel's slots filled (a closed loop of exactly that
// depth) or submits when requests are due (an open loop, latency from when a request was due), and
// records what comes back. It does not know what is behind the channel, so that a device in virtual
// time goes through the same lines. run() occupies its thread until the point is measured; some
// 40 ns of its own for a request, more at depth 1, where the clock is read twice for each.
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

// Shared with the thread that reports and is asked to stop.
struct run_control {
  std::atomic<bool> stop{false};
  std::atomic<std::uint64_t> requests{0};  // of this point, the warm-up's included
};

// Called when the window begins and when it ends, on the measuring thread.
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
  point_loop(channel& through, const point& asked, offsets where, run_control& control);

  measurements run(window_watch& watch);
  // What was measured until now, in the place of run(), whose thread is never to go on: for the one
  // that left it behind in a system call.
  measurements taken_over(std::uint64_t now_ns);

 private:
  struct slot {
    std::uint64_t due_ns = 0;
    std::uint64_t submitted_ns = 0;
    std::uint64_t returned_ns = 0;  // 0: its submission was not timed for itself
    bool write = false;
    bool busy = false;
  };

  void fill(std::uint64_t now_ns);
  void start(std::uint64_t due_ns);
  void hand_over();
  std::size_t exchange(std::uint64_t now_ns);
  void settle(std::span<const completion> done, std::uint64_t seen_ns, window_watch& watch);
  void record(const slot& finished, std::int32_t result, std::uint64_t seen_ns);
  void advance_window(std::uint64_t now_ns, window_watch& watch);
  void leave_warm_up(std::uint64_t now_ns);
  void close_window(std::uint64_t now_ns, window_watch& watch);
  [[nodiscard]] bool timed_turn() const noexcept;
  [[nodiscard]] bool hopeless() const noexcept;
  [[nodiscard]] bool silent(std::uint64_t now_ns) const noexcept;

  channel& through_;
  const point& asked_;
  offsets where_;
  run_control& control_;
  measurements found_;
  std::vector<slot> slots_;
  std::vector<unsigned> free_;
  std::vector<unsigned> prepared_;  // slots of the submission that is being put together
  std::vector<completion> done_;
  std::uint64_t begun_ns_ = 0;
  std::uint64_t interval_ns_ = 0;  // of the open loop
  std::uint64_t next_due_ns_ = 0;
  std::uint64_t stopped_ns_ = 0;  // when a stop was seen; 0: it was not
  std::uint64_t turns_ = 0;
  std::uint64_t seen_ = 0;
  std::uint64_t failed_ = 0;  // within the window
  enum class phase { warming, measuring, draining } phase_ = phase::warming;
};

}  // namespace stallscope::disk
