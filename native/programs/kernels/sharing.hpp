// Kernels of several threads that are in each other's way: by a cache line, by a lock, by a wake-up
// that is meant for one and reaches all.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<Kernel> make_false_sharing(const Setting& setting);
std::unique_ptr<Kernel> make_contended_mutex(const Setting& setting);
std::unique_ptr<Kernel> make_thundering_herd(const Setting& setting);

}  // namespace stallscope::kernels
