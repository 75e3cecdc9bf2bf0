// Frontend kernels: more code than the instruction caches hold, as straight-line code and as small
// blocks connected by jumps, with more jumps than the branch target buffers hold. An iteration is a
// pass through the code, about 0.1 ms. run() is called by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_large_straight_code(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_large_branchy_code(const kernel_settings& setting);

}  // namespace stallscope::kernels
