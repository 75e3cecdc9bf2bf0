// Threads whose time is known by thread and state: three threads on one CPU, and a second of work
// in one thread before a second in two. run() is called by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_states(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_wall_halves(const kernel_settings& setting);

}  // namespace stallscope::kernels
