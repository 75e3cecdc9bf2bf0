// Kernels whose time the operating system spends: page faults, system calls, and two threads that
// sleep and wake each other.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<Kernel> make_page_faults(const Setting& setting);
std::unique_ptr<Kernel> make_system_calls(const Setting& setting);
std::unique_ptr<Kernel> make_sleep_wake(const Setting& setting);

}  // namespace stallscope::kernels
