#include "load/arrivals.hpp"

#include <cmath>

namespace stallscope::load {

arrivals::arrivals(arrival_process process, double rate_per_s, std::uint64_t start_ns,
                   std::uint64_t seed, double phase)
    : process_{process},
      interval_ns_{static_cast<double>(second_ns) / rate_per_s},
      start_ns_{start_ns},
      offset_ns_{0},
      phase_{phase},
      random_{seed} {
  advance();
}

std::uint64_t arrivals::next() {
  const std::uint64_t due = due_ns_;
  advance();
  return due;
}

void arrivals::advance() {
  if (process_ == arrival_process::fixed) {
    // Computed from the start, so that rounding errors do not accumulate.
    offset_ns_ = (static_cast<double>(count_++) + phase_) * interval_ns_;
  } else {
    offset_ns_ -= std::log1p(-uniform_share(random_)) * interval_ns_;
  }
  due_ns_ = start_ns_ + static_cast<std::uint64_t>(offset_ns_);
}

}  // namespace stallscope::load
