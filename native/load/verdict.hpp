// Whether the loader itself was the limit, by a rule that is written down: one of
//   - a thread was busy for 90 % of the time, spinning for due times not counted;
//   - a thread was runnable without a CPU for 5 % of the time;
//   - at the 99th percentile, requests went out late by its own fault by more than a tenth of the
//     latency at that percentile.
// Then figures tell of the loader as much as of the target. Any thread.
#pragma once

#include <cstdint>
#include <span>
#include <string>

#include "load/measurements.hpp"

namespace stallscope::load {

inline constexpr double most_busy_share = 0.90;
inline constexpr double most_run_delay_share = 0.05;
inline constexpr double most_own_lag_share = 0.10;

struct verdict {
  bool limited_by_loader;
  std::string why;  // with the figures, also where it was not
};

verdict judge(std::span<const thread_account> threads, const measurements& all);

}  // namespace stallscope::load
