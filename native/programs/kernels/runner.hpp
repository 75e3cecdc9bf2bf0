// Runs a kernel on its threads until the iterations are complete, the duration is over or `stop` is
// set, and reports the resource usage. Between two calls of the kernel a thread checks a flag and
// the clock, about 50 ns per some tenths of a millisecond. One run at a time per process.
//
//   const run_report report = run_kernel(entry, 2, *kernel, {.duration_ns = 1'000'000'000}, stop);
#pragma once

#include <atomic>
#include <cstdint>
#include <optional>
#include <vector>

#include "kernels/kernel.hpp"
#include "kernels/table.hpp"

namespace stallscope::kernels {

struct run_options {
  std::optional<std::uint64_t> iterations{};  // per thread; nullopt: no limit
  std::uint64_t duration_ns = 0;              // 0: no limit
  std::vector<int> cpus{};                    // pins thread i to cpus[i % size]; empty: no pinning
};

// Resource usage of the threads from their start to their end, without the kernel's construction.
struct run_report {
  std::uint64_t iterations = 0;  // sum over all threads
  std::uint64_t elapsed_ns = 0;
  std::uint64_t cpu_ns = 0;
  // From getrusage; user and system time may be estimates from timer ticks.
  std::uint64_t user_ns = 0;
  std::uint64_t system_ns = 0;
  std::uint64_t minor_faults = 0;
  std::uint64_t voluntary_switches = 0;
  std::uint64_t involuntary_switches = 0;
  std::uint64_t result = 0;
};

// Runs the kernel; the calling thread is thread 0. `stop` ends the run, also before the first
// iteration; it is set when the duration ends the run. Throws std::system_error if a thread cannot
// be created or pinned, and rethrows exceptions of the kernel.
run_report run_kernel(const kernel_entry& entry, unsigned threads, kernel_base& kernel,
                      const run_options& options, std::atomic<bool>& stop);

}  // namespace stallscope::kernels
