// Kernels of several threads that are in each other's way: by a cache line, by a lock, by a wake-up
// that is meant for one and reaches all.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_false_sharing(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_contended_mutex(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_thundering_herd(const kernel_settings& setting);

}  // namespace stallscope::kernels
