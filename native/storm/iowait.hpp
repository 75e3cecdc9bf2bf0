// How much of all CPUs' time was idle while requests were outstanding, by the kernel's own count,
// which is rough (docs of proc_stat). A read of /proc/stat, some 50 us.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

namespace stallscope::storm {

struct cpu_ticks {
  std::uint64_t iowait = 0;
  std::uint64_t all = 0;
};

// Nothing where the file is not as the kernel writes it.
std::optional<cpu_ticks> read_cpu_ticks(const std::string& stat = "/proc/stat");

// Of the time between two readings; nothing where one is missing, or no tick passed.
std::optional<double> iowait_share(const std::optional<cpu_ticks>& from,
                                   const std::optional<cpu_ticks>& until);

}  // namespace stallscope::storm
