// Operating system kernels: page faults, system calls, and two threads that wake each other. The
// time is spent in the Linux kernel, 0.5 to 10 us per iteration. run() is called by the runner's
// threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_page_faults(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_system_calls(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_sleep_wake(const kernel_settings& setting);

}  // namespace stallscope::kernels
