// The one clock of every recording: CLOCK_MONOTONIC, in nanoseconds. Reading it is a vDSO call of
// some 20 ns, no system call, safe from any thread and in signal handlers.
#pragma once

#include <cstdint>
#include <ctime>

namespace stallscope {

// Nanoseconds of the given clock.
inline std::uint64_t clock_ns(clockid_t clock) noexcept {
  timespec now{};
  clock_gettime(clock, &now);
  return static_cast<std::uint64_t>(now.tv_sec) * 1'000'000'000U +
         static_cast<std::uint64_t>(now.tv_nsec);
}

inline std::uint64_t monotonic_ns() noexcept { return clock_ns(CLOCK_MONOTONIC); }
inline std::uint64_t realtime_ns() noexcept { return clock_ns(CLOCK_REALTIME); }
inline std::uint64_t process_cpu_ns() noexcept { return clock_ns(CLOCK_PROCESS_CPUTIME_ID); }
inline std::uint64_t thread_cpu_ns() noexcept { return clock_ns(CLOCK_THREAD_CPUTIME_ID); }

}  // namespace stallscope
