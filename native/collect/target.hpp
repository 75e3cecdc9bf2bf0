// The targets as they were named, found and checked before anything is opened or written.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "base/descriptor.hpp"
#include "base/procfs.hpp"

namespace stallscope::collect {

// Throws failure (target failed) where a pid is no process that lives.
void check_processes(const procfs& proc, std::span<const pid_t> pids);

struct open_cgroup {
  std::string path;
  descriptor fd;
};

// Finds a cgroup by its absolute path, or below the mounted perf_event or unified hierarchy.
open_cgroup find_cgroup(const std::string& name, const std::string& mounts = "/proc/self/mounts");

// The processes in a cgroup and those below it.
std::vector<pid_t> processes_of_cgroup(const std::string& path);

// Throws failure where a CPU asked for is not online; all that are online where none was asked for.
std::vector<int> usable_cpus(std::span<const int> asked);

// Raises the soft limit of descriptors to the hard one; how many there may be.
std::size_t raise_descriptor_limit();

}  // namespace stallscope::collect
