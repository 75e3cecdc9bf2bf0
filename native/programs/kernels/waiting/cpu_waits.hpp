// Threads that are ready to run and do not run: more threads than CPUs, a process in another cgroup
// on the same CPU, and a quota of CPU time. run() is called by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_oversubscribed(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_busy_neighbour(const kernel_settings& setting);
// Throws std::system_error if this process may not make a cgroup.
std::unique_ptr<kernel_base> make_cgroup_throttled(const kernel_settings& setting);

}  // namespace stallscope::kernels
