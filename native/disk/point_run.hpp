// One point measured from end to end: the channel that fits, the thread it runs on and its class,
// and that thread's own account, so that a result can be distrusted. Without io_uring a depth is
// kept by as many threads, each with one request at a time. Blocks until the point is measured.
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

inline constexpr unsigned most_threads = 64;
inline constexpr double most_littles_law_error = 0.02;
// Reading clocks and counting between two requests takes some 50 ns. It is more than 2 % of the
// quickest (page cache), and no fault: their latency is told without it.
inline constexpr double own_work_ns = 150;
inline constexpr double most_cpu_delay_share = 0.05;
inline constexpr double least_rate_share = 0.97;

struct point_result {
  point asked;
  measurements found;
  thread_account account;
  bool modelled = false;
  engine used = engine::uring;
  bool buffers_registered = false;
  bool file_registered = false;
  bool real_time = false;
  std::vector<std::string> notes;

  // Mean number in flight against the depth: relative error. Nothing of an open loop, whose number
  // in flight is not commanded.
  [[nodiscard]] std::optional<double> littles_law_error() const;
  // Time that one place in flight was empty between two requests, on average; below zero where more
  // were in flight than asked for.
  [[nodiscard]] double empty_between_ns() const;
  // Time that measuring threads were ready to run and did not; nothing where it is not counted.
  [[nodiscard]] std::optional<double> cpu_delay_share() const;
  [[nodiscard]] std::optional<double> rate_achieved() const;  // none of a window without length
  // Why the point is not to be trusted; empty where it is.
  [[nodiscard]] std::vector<std::string> failed() const;
};

struct surroundings {
  const plan& asked;
  int fd = -1;
  std::string uring_refusal;  // why there is no io_uring; empty where there is
};

// Throws std::system_error where the kernel refuses what it gave at first.
point_result measure(const surroundings& around, const point& asked, run_control& control);

}  // namespace stallscope::disk
