// Share of all CPUs' time that was idle with outstanding I/O, from /proc/stat. The kernel's count
// is approximate (proc(5)). Reading /proc/stat costs about 50 us. Any thread.
//
//   const auto before = read_cpu_ticks();
//   ...
//   const std::optional<double> share = iowait_share(before, read_cpu_ticks());
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stallscope::storm {

struct cpu_ticks {
  std::uint64_t iowait = 0;
  std::uint64_t all = 0;
};

// Empty if the file does not have the expected format.
std::optional<cpu_ticks> read_cpu_ticks(const std::string& stat = "/proc/stat");

// Share between two readings; empty if a reading is missing or no tick has passed.
std::optional<double> iowait_share(const std::optional<cpu_ticks>& from,
                                   const std::optional<cpu_ticks>& until);

}  // namespace stallscope::storm
