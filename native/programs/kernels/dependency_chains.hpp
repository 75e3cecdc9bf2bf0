// Core kernels: independent additions at full width, and dependency chains that leave the core
// waiting for its own results. No memory accesses; the only branch is the loop's. run() is called
// by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

// Instructions per iteration of independent-adds and dependent-chain, on x86-64 and arm64; two of
// them are the loop's. A call of n iterations executes n times this number plus a constant.
inline constexpr unsigned add_loop_instructions = 32;
inline constexpr unsigned adds_per_iteration = add_loop_instructions - 2;

std::unique_ptr<kernel_base> make_independent_adds(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_dependent_chain(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_divide_chain(const kernel_settings& setting);

}  // namespace stallscope::kernels
