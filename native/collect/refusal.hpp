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

// What denied an event with EACCES or EPERM, after "perf_event_open returns EPERM": "at
// kernel.perf_event_paranoid 2", or "because a seccomp filter denies the call".
std::string denial();

// The remedy for a denied event: a missing privilege or a seccomp filter.
std::string privilege_remedy();

// Whether a seccomp filter denies perf_event_open to this process, tested with one call that the
// kernel itself rejects in another way.
bool seccomp_denies();

}  // namespace stallscope::collect
