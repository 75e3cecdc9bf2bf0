// More kernels that no constant of the modelled source was found with: small loops, written after
// its constants were frozen.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_square_roots(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_state_walk(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_merge_lists(const kernel_settings& setting);

}  // namespace stallscope::kernels
