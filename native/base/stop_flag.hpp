// Whether the program was requested to end, by a signal or by its parent's end. Work that may take
// long, on any thread, checks this between its steps. A check is a load from memory.
//
//   for (const pid_t pid : proc.processes()) {
//     if (stop_requested()) break;
//     read(pid);
//   }
#pragma once

#include <atomic>

namespace stallscope {

inline std::atomic<bool> stop_flag = false;

[[nodiscard]] inline bool stop_requested() noexcept {
  return stop_flag.load(std::memory_order_relaxed);
}
inline void request_stop() noexcept { stop_flag.store(true, std::memory_order_relaxed); }

}  // namespace stallscope
