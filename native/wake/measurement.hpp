// Measures how long a wake-up takes: of a timer, from when it was due; of a request, from sending
// it to having its reply, through one process or a chain of them. One thread calls; the others are
// processes of its own that end with it; a thread that sleeps watches that they live. A sample
// costs what it measures and 50 ns.
#pragma once

#include <chrono>
#include <cstdint>
#include <optional>
#include <vector>

#include "histogram/histogram.hpp"
#include "wake/channel.hpp"

namespace stallscope::wake {

struct plan {
  std::optional<transport> over;      // nothing: a timer
  unsigned processes = 2;             // with the one that asks: 2 or 3
  std::chrono::nanoseconds think{0};  // before each request; a timer's period
  std::chrono::nanoseconds duration{0};
  std::uint64_t most_samples = 0;              // 0: only the duration ends it
  std::chrono::milliseconds patience{30'000};  // beyond the duration, for a reply
  std::vector<int> cpus;  // of each process in turn; empty: the scheduler's choice
};

struct outcome {
  histogram::histogram latencies;  // ns
  std::chrono::nanoseconds elapsed{0};
};

// The first tenth of the time, or of the samples, warms up and is not told. Throws
// std::system_error where the kernel refuses a CPU, a channel or a process, and failure where a
// process that answers ends early, or a reply is not there `patience` after the duration.
outcome measure(const plan& asked);

}  // namespace stallscope::wake
