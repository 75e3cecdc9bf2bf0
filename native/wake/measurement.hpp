// Measures how long a wake-up takes: of a timer, from its due time; of a request, from sending it
// to receiving the reply, through one process or a chain of processes. One thread measures. The
// other processes are its children and end with it; another thread watches that they live, and
// sleeps otherwise. A sample costs its latency plus 50 ns.
//
//   const measurement measured = measure({.over = transport::futex, .duration = 1s});
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "histogram/histogram.hpp"
#include "wake/channel.hpp"

namespace stallscope::wake {

struct plan {
  std::optional<transport> over;      // empty: a timer
  unsigned processes = 2;             // with the client: 2 or 3
  std::chrono::nanoseconds think{0};  // before each request; period of a timer
  std::chrono::nanoseconds duration{0};
  std::uint64_t max_samples = 0;               // 0: no maximum
  std::chrono::milliseconds patience{30'000};  // for a reply, beyond the duration
  std::vector<int> cpus;                       // one per process, client first; empty: any
};

struct measurement {
  histogram::histogram latencies;  // ns
  std::chrono::nanoseconds elapsed{0};
};

// The first tenth of the duration, or of the samples, is warm-up and not recorded. Throws
// std::system_error if the kernel refuses a CPU, a channel or a process, and failure if a process
// ends early or a reply is missing `patience` after the duration.
measurement measure(const plan& options);

}  // namespace stallscope::wake
