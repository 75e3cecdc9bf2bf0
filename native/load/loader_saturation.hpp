// Whether the loader itself was the bottleneck. It was, if one of these holds:
//
//    - a thread was busy for 90 % of the time, busy-waiting not counted;
//    - a thread was runnable without a CPU for 5 % of the time;
//    - the 99th percentile of the loader's send lag exceeds a tenth of that of the latency.
//
// The results then describe the loader as much as the target. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "load/measurements.hpp"

namespace stallscope::load {

inline constexpr double max_busy_share = 0.90;
inline constexpr double max_run_delay_share = 0.05;
inline constexpr double max_own_lag_share = 0.10;

struct loader_saturation {
  bool limited_by_loader;
  std::string why;  // with the numbers, in either case
};

loader_saturation check_loader_saturation(std::span<const thread_account> threads,
                                          const measurements& all);

}  // namespace stallscope::load
