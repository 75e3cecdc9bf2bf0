// Why the kernel refused an event, as a person can act on it.
#pragma once

#include <string>

#include "base/failure.hpp"

namespace stallscope::collect {

// The failure of opening an event for a target ("thread 17", "all processes") on a CPU.
failure refusal(int error, const std::string& target, int cpu);

// The failure of opening an event for a cgroup, after it could be opened for whole CPUs.
failure cgroup_refusal(int error, const std::string& path, int cpu);

// "ENOENT (No such file or directory)": as documents and messages name an errno.
std::string error_text(int error);

// The level of kernel.perf_event_paranoid as text, or "unknown".
std::string paranoid_level();

// The remedy for what an ordinary user may not do.
std::string privilege_remedy();

}  // namespace stallscope::collect
