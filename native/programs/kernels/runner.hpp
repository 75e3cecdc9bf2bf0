// Runs one kernel in its threads until its iterations are done, its time is over or it is told to
// stop, and says what it took. Between two calls of the kernel a thread looks at a flag
// and at the clock, some 50 ns each few tenths of a millisecond.
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/table.hpp"

namespace stallscope::kernels {

struct run_options {
  std::optional<std::uint64_t> iterations{};  // of each thread; without: as the duration allows
  std::uint64_t duration_ns = 0;              // 0: no end
  std::vector<int> cpus{};  // thread i is pinned to the i-th, from the start again; empty: none is
};

// What the threads took from their start to their end, without the kernel's making.
struct run_report {
  std::uint64_t iterations = 0;  // of all threads together
  std::uint64_t elapsed_ns = 0;
  std::uint64_t cpu_ns = 0;
  // As getrusage says; user and system time may be estimates by the kernel's ticks.
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t result = 0;
};

// A kernel of one thread runs in the calling one. `stop` ends the run, before its first iteration
// as well; it is set when this returns because of the duration. Throws std::system_error where a
// thread cannot be made or pinned, and what the kernel throws.
run_report run_kernel(const kernel_entry& entry, unsigned threads, kernel_base& kernel,
                      const run_options& options, std::atomic<bool>& stop);

}  // namespace stallscope::kernels
