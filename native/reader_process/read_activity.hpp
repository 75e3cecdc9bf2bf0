// What a helper process does at the moment, in memory that it shares with the collector: a read of
// another process may never return. No system calls. The helper writes, the collector reads.
#pragma once

#include <sys/types.h>

#include <atomic>
#include <cstdint>

namespace stallscope::reader_process {

// The process that a helper reads at the moment. A read that never returns leaves it unchanged.
struct read_activity {
  std::atomic<pid_t> pid = 0;  // 0: none
  std::atomic<std::uint64_t> since_ns = 0;
  std::atomic<bool> stop = false;

  void begin(pid_t process, std::uint64_t now_ns) noexcept {
    since_ns.store(now_ns, std::memory_order_relaxed);
    pid.store(process, std::memory_order_release);
  }
  void end() noexcept { pid.store(0, std::memory_order_release); }
};

}  // namespace stallscope::reader_process
