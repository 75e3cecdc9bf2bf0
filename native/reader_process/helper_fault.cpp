#include "reader_process/helper_fault.hpp"

namespace stallscope::reader_process {
namespace {

// A read of memory takes microseconds, a search milliseconds. A slow disk may take longer.
constexpr std::uint64_t longest_read_ns = 700'000'000;
// A helper that waits for a CPU is late, but not blocked.
constexpr std::uint64_t longest_turn_ns = 10'000'000'000;

}  // namespace

std::optional<helper_fault> fault_of(child_process& helper, const read_activity& activity,
                                     std::uint64_t now_ns) {
  const pid_t process = activity.pid.load(std::memory_order_acquire);
  if (!helper.running()) return helper_fault{process, true};
  const auto since_ns = activity.since_ns.load(std::memory_order_relaxed);
  if (process == 0 || now_ns < since_ns + longest_read_ns) return std::nullopt;
  const bool on_cpu = helper.state() == 'R';
  if (on_cpu && now_ns < since_ns + longest_turn_ns) return std::nullopt;
  if (activity.pid.load() != process || activity.since_ns.load() != since_ns) return std::nullopt;
  return helper_fault{process, false};
}

}  // namespace stallscope::reader_process
