// The interface of a kernel: work with one known bottleneck, in calls of N iterations. The runner
// calls run() from its threads and reads result() after they have ended. A virtual call per some
// tenths of a millisecond of work.
//
//   const std::unique_ptr<kernel_base> kernel = entry.make({.threads = 2});
//   kernel->run(0, entry.iterations_per_call, stop);  // on thread 0
#pragma once

#include <atomic>
#include <cstdint>
#include <span>
#include <string>
#include <variant>
#include <vector>

#include "kernels/cache_sizes.hpp"

namespace stallscope::kernels {

class thread_times;  // kernels/waiting/thread_times.hpp

// The settings of a kernel's construction.
struct kernel_settings {
  unsigned threads = 1;
  cache_sizes caches{};
  std::uint64_t memory_limit_bytes = std::uint64_t{1} << 30U;  // limit of the working set
  bool look_alike = false;  // without the fault, where the kernel has a look-alike
  bool cured = false;       // the same work without the fault, where the kernel has a cure
  bool padded = false;      // false-sharing only: one cache line per counter, as a control
  double duration_s = 0;    // of the run; 0: not known
  double rate_per_s = 1;    // of waits, for kernels with a rate
  std::string path{};       // directory, file or device of kernels that use a disk; empty: /var/tmp
};

// A named value in the output that describes how the kernel ran.
struct kernel_parameter {
  std::string name;
  std::variant<std::uint64_t, std::string> value;
};

class kernel_base {
 public:
  kernel_base() = default;
  virtual ~kernel_base() = default;
  kernel_base(const kernel_base&) = delete;
  kernel_base& operator=(const kernel_base&) = delete;
  kernel_base(kernel_base&&) = delete;
  kernel_base& operator=(kernel_base&&) = delete;

  // Runs `iterations` iterations, continuing after this thread's previous call. Every thread of the
  // settings passes its own index (0, 1, ...). Returns the completed iterations: fewer than
  // requested only if the thread waited for another thread and `stop` was set, which ends every
  // wait within 50 ms. Throws std::system_error if a system call fails.
  virtual std::uint64_t run(unsigned thread, std::uint64_t iterations,
                            const std::atomic<bool>& stop) = 0;
  // Returns a value that depends on all completed iterations, so that the compiler cannot omit any.
  // Not to be called while a thread runs.
  [[nodiscard]] virtual std::uint64_t result() const = 0;
  [[nodiscard]] virtual std::vector<kernel_parameter> parameters() const { return {}; }
  // Returns what the kernel measured of itself. Not to be called while a thread runs.
  [[nodiscard]] virtual std::vector<kernel_parameter> account() const { return {}; }
  // Returns the time of each thread by state, by thread index; empty if the kernel does not measure
  // it. Not to be called while a thread runs.
  [[nodiscard]] virtual std::span<const thread_times> states() const { return {}; }
};

// A private word of a thread, alone in its cache lines, so that its writes do not slow other
// threads.
struct alignas(128) thread_word {
  std::uint64_t value = 0;
};

}  // namespace stallscope::kernels
