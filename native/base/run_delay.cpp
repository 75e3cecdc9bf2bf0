#include "base/run_delay.hpp"

#include <cinttypes>
#include <cstdio>
#include <memory>

namespace stallscope {

std::optional<std::uint64_t> thread_run_delay_ns() {
  // CPU time, time runnable without a CPU, and number of time slices.
  const std::unique_ptr<std::FILE, int (*)(std::FILE*)> file{
      std::fopen("/proc/thread-self/schedstat", "re"), &std::fclose};
  std::uint64_t cpu_ns = 0;
  std::uint64_t delay_ns = 0;
  std::uint64_t runs = 0;
  if (!file ||
      std::fscanf(file.get(), "%" SCNu64 " %" SCNu64 " %" SCNu64, &cpu_ns, &delay_ns, &runs) != 3) {
    return std::nullopt;
  }
  if (runs == 0) return std::nullopt;  // 0 if the kernel does not count
  return delay_ns;
}

}  // namespace stallscope
