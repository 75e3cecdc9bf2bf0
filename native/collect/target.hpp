// Checks of the targets on the command line, before anything is opened or written. Some reads of
// /proc and /sys. One thread.
#pragma once

#include <sys/resource.h>

#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/procfs.hpp"

namespace stallscope::collect {

// Throws failure (target failed) if a pid is not a live process.
void check_processes(const procfs& proc, std::span<const pid_t> pids);

// Returns the mount points of the hierarchies with a controller (version 1), and then the unified
// one.
std::vector<std::string> cgroup_roots(const std::string& mounts, const std::string& controller);

struct open_cgroup {
  std::string path;
  descriptor fd;
};

// Opens a cgroup by its absolute path, or by its path below the perf_event or unified hierarchy.
open_cgroup find_cgroup(const std::string& name, const std::string& mounts = "/proc/self/mounts");

// The processes in a cgroup and those below it.
std::vector<pid_t> processes_of_cgroup(const std::string& path);

// Returns the requested CPUs, or all online CPUs if none was requested. Throws failure if a
// requested CPU is not online.
std::vector<int> usable_cpus(std::span<const int> requested);

// The limit of open descriptors. Throws std::system_error.
rlimit descriptor_limit();

// Raises the soft limit of open descriptors to the hard limit and returns it.
std::size_t raise_descriptor_limit();

}  // namespace stallscope::collect
