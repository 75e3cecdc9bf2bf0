// Kernels of the frontend: more code than the instruction caches hold, once in a straight line and
// once as small blocks that jump to and fro, more of them than the branch target buffers hold.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_large_straight_code(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_large_branchy_code(const kernel_settings& setting);

}  // namespace stallscope::kernels
