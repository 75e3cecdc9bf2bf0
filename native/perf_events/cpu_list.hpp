// Lists of CPUs as the kernel writes them: "0-3,8,10-11".
#pragma once

#include <filesystem>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace stallscope::perf_events {

// The highest CPU number accepted, so that a hostile list cannot ask for gigabytes.
inline constexpr int max_cpu = 65'535;

// The CPUs of a list, ascending and unique; std::invalid_argument where it is none.
std::vector<int> parse_cpu_list(std::string_view text);

// The list in its shortest form; the CPUs must be ascending.
std::string format_cpu_list(std::span<const int> cpus);

// The CPUs that are online, from a sysfs tree.
std::vector<int> online_cpus(const std::filesystem::path& sys = "/sys");

}  // namespace stallscope::perf_events
