// How long some work may take: by this thread's own CPU time, so that a busy machine does not cut
// it short, and by the clock, so that a stalled disk does not hold it up for ever.
#pragma once

#include <cstdint>

#include "base/clock.hpp"

namespace stallscope::collect {

struct time_limit {
  std::uint64_t cpu_ns = 0;  // of the thread that works
  std::uint64_t monotonic_ns = 0;

  // From now on.
  static time_limit after(std::uint64_t cpu_ns, std::uint64_t wall_ns) noexcept {
    return {thread_cpu_ns() + cpu_ns, stallscope::monotonic_ns() + wall_ns};
  }
  [[nodiscard]] bool passed() const noexcept {
    return thread_cpu_ns() > cpu_ns || stallscope::monotonic_ns() > monotonic_ns;
  }
};

}  // namespace stallscope::collect
