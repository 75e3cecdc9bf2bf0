// Kernels of the core alone: as many additions as it can do, and chains that make it wait for
// itself. No memory, no branches but the loop's.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

// independent-adds and dependent-chain: instructions of one iteration on x86-64 and arm64, of which
// two are the loop's. A call of n iterations executes n times as many, and a constant.
inline constexpr unsigned add_loop_instructions = 32;
inline constexpr unsigned adds_per_iteration = add_loop_instructions - 2;

std::unique_ptr<kernel_base> make_independent_adds(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_dependent_chain(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_divide_chain(const kernel_settings& setting);

}  // namespace stallscope::kernels
