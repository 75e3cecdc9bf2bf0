// Kernels whose time the operating system spends: page faults, system calls, and two threads that
// sleep and wake each other.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_page_faults(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_system_calls(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_sleep_wake(const kernel_settings& setting);

}  // namespace stallscope::kernels
