// Contention kernels: several threads that share a cache line, a lock, or a wake-up that wakes all
// threads for one item. run() is called by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_false_sharing(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_contended_mutex(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_thundering_herd(const kernel_settings& setting);

}  // namespace stallscope::kernels
