// Failures for events that the kernel refuses, with the cause and a remedy. Any thread.
#pragma once

#include <string>

#include "base/failure.hpp"

namespace stallscope::collect {

// The failure to open an event for a target ("thread 17", "all processes") on a CPU.
failure refusal(int error, const std::string& target, int cpu);

// The failure to open an event for a cgroup although it can be opened for whole CPUs.
failure cgroup_refusal(int error, const std::string& path, int cpu);

// An errno in documents and messages: "ENOENT (No such file or directory)".
std::string error_text(int error);

// The level of kernel.perf_event_paranoid as text, or "unknown".
std::string paranoid_level();

// The remedy for a missing privilege.
std::string privilege_remedy();

}  // namespace stallscope::collect
