// Threads that wait for a condition variable: many short waits beside few long ones, and a herd
// that every broadcast wakes. run() is called by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_short_and_long_waits(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_condition_herd(const kernel_settings& setting);

}  // namespace stallscope::kernels
