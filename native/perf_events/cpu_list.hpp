// Lists of CPUs in the kernel's format: "0-3,8,10-11". Any thread.
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope::perf_events {

// The highest accepted CPU number, so that a hostile list cannot use gigabytes of memory.
inline constexpr int max_cpu = 65'535;

// Returns the CPUs of a list, ascending and unique. Throws std::invalid_argument if it is invalid.
std::vector<int> parse_cpu_list(std::string_view text);

// Returns the list in its shortest form. The CPUs must be ascending.
std::string format_cpu_list(std::span<const int> cpus);

// Returns the online CPUs of a sysfs tree.
std::vector<int> online_cpus(const std::filesystem::path& sys = "/sys");

}  // namespace stallscope::perf_events
