// A limit for a piece of work: in CPU time of the thread, so that a busy machine does not shorten
// the work, and in elapsed time, so that a stalled disk does not block it forever. A request to
// stop ends the work, too. A check costs two clock reads. The thread that made the limit must check
// it.
#pragma once

#include <cstdint>

#include "base/clock.hpp"
#include "base/stop_flag.hpp"

namespace stallscope::collect {

struct time_limit {
  std::uint64_t cpu_ns = 0;  // CPU time of the working thread
  std::uint64_t monotonic_ns = 0;

  // Returns a limit that starts now.
  static time_limit after(std::uint64_t cpu_ns, std::uint64_t wall_ns) noexcept {
    return {thread_cpu_ns() + cpu_ns, stallscope::monotonic_ns() + wall_ns};
  }
  [[nodiscard]] bool passed() const noexcept {
    return stop_requested() || thread_cpu_ns() > cpu_ns ||
           stallscope::monotonic_ns() > monotonic_ns;
  }
};

}  // namespace stallscope::collect
