// More kernels that no constant of the modelled source was found with: small loops, written after
// its constants were frozen.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<Kernel> make_square_roots(const Setting& setting);
std::unique_ptr<Kernel> make_state_walk(const Setting& setting);
std::unique_ptr<Kernel> make_merge_lists(const Setting& setting);

}  // namespace stallscope::kernels
