// What every kernel is: work with one known bottleneck, done in calls of so many iterations. The
// runner makes it, calls it from its threads and reads its result when they are done.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>
#include <variant>
#include <vector>

#include "kernels/cache_sizes.hpp"

namespace stallscope::kernels {

// What a kernel is made for.
struct kernel_settings {
  unsigned threads = 1;
  cache_sizes caches{};
  std::uint64_t memory_limit_bytes = std::uint64_t{1} << 30U;  // of one kernel's working set
  bool padded = false;  // false-sharing only: a line for each counter, as a control
};

// One thing that the output says about how a kernel ran.
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

  // Goes on for so many iterations where this thread's last call ended; called by each of the
  // setting's threads (0, 1, ...) for itself. Returns those done: fewer only where it waited for
  // another thread and `stop` was set, which ends every wait within 50 ms. Throws
  // std::system_error when the system refuses what the kernel is made of.
  virtual std::uint64_t run(unsigned thread, std::uint64_t iterations,
                            const std::atomic<bool>& stop) = 0;
  // A value that follows from all iterations done, so that none can be left out. When no thread
  // runs.
  [[nodiscard]] virtual std::uint64_t result() const = 0;
  [[nodiscard]] virtual std::vector<kernel_parameter> parameters() const { return {}; }
};

// A thread's own word, on lines of its own: what one thread writes slows no other.
struct alignas(128) ThreadWord {
  std::uint64_t value = 0;
};

}  // namespace stallscope::kernels
