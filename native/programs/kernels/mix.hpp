// `stallscope-kernels mix`: threads whose true shares are known, because each measures itself.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "kernels/thread_account.hpp"

namespace stallscope::kernels {

struct mix_options {
  std::chrono::nanoseconds duration{std::chrono::seconds(20)};  // zero: until a signal
  std::chrono::nanoseconds interval{std::chrono::milliseconds(100)};
  unsigned threads = 4;
  std::uint64_t working_set_bytes = std::uint64_t{64} << 20U;
};

// The CPU time used up to one moment of CLOCK_MONOTONIC.
struct mix_snapshot {
  std::uint64_t time_ns = 0;
  function_times function_ns{};
  std::vector<std::pair<std::string, std::uint64_t>> thread_ns;
};

// Gets every interval's snapshot and the last one; false ends the run.
using snapshot_sink = std::function<bool(const mix_snapshot&)>;

// Runs until the duration is over, SIGINT or SIGTERM comes, or the sink has enough. Blocks these
// two signals in the calling thread. Throws std::system_error when a thread cannot be made.
void run_mix(const mix_options& options, const snapshot_sink& sink);

}  // namespace stallscope::kernels
