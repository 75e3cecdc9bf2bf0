// A process beside the kernel's threads, such as a peer or a neighbour on the same CPU. It runs a
// function that does not return, and ends with this object or with its parent. To be constructed
// before the process has threads; costs a fork.
//
//   const child_process neighbour("neighbour", [] { for (;;) compute_for(1 * ms); });
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>

namespace stallscope::kernels {

class child_process {
 public:
  // Throws std::system_error if fork fails.
  child_process(const char* name, const std::function<void()>& work);
  ~child_process();
  child_process(const child_process&) = delete;
  child_process& operator=(const child_process&) = delete;
  child_process(child_process&&) = delete;
  child_process& operator=(child_process&&) = delete;

  [[nodiscard]] pid_t pid() const noexcept { return pid_; }
  // Returns its CPU time up to now.
  [[nodiscard]] std::uint64_t cpu_ns() const noexcept;

 private:
  pid_t pid_;
};

}  // namespace stallscope::kernels
