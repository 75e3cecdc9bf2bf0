// `stallscope-kernels mix`: threads that measure their own CPU time, so that the true shares of
// their functions are known. Costs one system call per chunk of 5 to 20 ms and thread. Any thread.
//
//   run_mix({.threads = 4}, [](const mix_snapshot& snapshot) { return print(snapshot); });
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

// The CPU time used up to a time of CLOCK_MONOTONIC.
struct mix_snapshot {
  std::uint64_t time_ns = 0;
  function_times function_ns{};
  std::vector<std::pair<std::string, std::uint64_t>> thread_ns;
};

// Receives a snapshot per interval and the last snapshot. Returning false ends the run.
using snapshot_sink = std::function<bool(const mix_snapshot&)>;

// Runs until the duration is over, SIGINT or SIGTERM arrives, or the sink returns false. Blocks the
// two signals in the calling thread. Throws std::system_error if a thread cannot be created.
void run_mix(const mix_options& options, const snapshot_sink& sink);

}  // namespace stallscope::kernels
