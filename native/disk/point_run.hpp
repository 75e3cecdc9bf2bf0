// Measures one point completely: chooses the channel, runs the measuring threads in the real-time
// class, and records the threads' own CPU use, so that a distorted result can be rejected. Without
// io_uring, one thread per request in flight keeps the depth. Blocks until the point is measured.
//
//   const point_result result = measure({.plan = plan, .fd = fd}, plan.points[0], control);
//   if (!result.failed().empty()) ...
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "disk/account_watch.hpp"
#include "disk/measurements.hpp"
#include "disk/plan.hpp"
#include "disk/point_loop.hpp"

namespace stallscope::disk {

inline constexpr unsigned max_threads = 64;
inline constexpr double max_littles_law_error = 0.02;
// Reading clocks and counting between two requests takes about 50 ns. That is more than 2 % of a
// request to the page cache, but not an error: the latency does not include it.
inline constexpr double own_work_ns = 150;
inline constexpr double max_cpu_delay_share = 0.05;
inline constexpr double min_rate_share = 0.97;

struct point_result {
  point settings;
  measurements measured;
  thread_account account;
  bool modelled = false;
  engine used = engine::uring;
  bool buffers_registered = false;
  bool file_registered = false;
  bool real_time = false;
  std::vector<std::string> notes;

  // Relative error of the mean number of requests in flight against the depth. Empty for an open
  // loop, which does not prescribe that number.
  [[nodiscard]] std::optional<double> littles_law_error() const;
  // Mean time that a slot was empty between two requests; negative if more requests were in flight
  // than the depth.
  [[nodiscard]] double idle_slot_ns() const;
  // Share of the time that measuring threads were runnable without a CPU; empty if not counted.
  [[nodiscard]] std::optional<double> cpu_delay_share() const;
  [[nodiscard]] std::optional<double> rate_achieved() const;  // empty if the window has no length
  // Reasons to reject the result; empty if it is valid.
  [[nodiscard]] std::vector<std::string> failed() const;
};

struct measurement_context {
  const disk::plan& plan;
  int fd = -1;
  std::string uring_refusal;  // why io_uring is unavailable; empty if it is available
};

// Throws std::system_error if the kernel refuses a resource.
point_result measure(const measurement_context& context, const point& settings,
                     run_control& control);

}  // namespace stallscope::disk
