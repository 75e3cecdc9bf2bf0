// Held-out kernels that are small loops: no constant of the modelled source was fitted to them.
// run() is called by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_square_roots(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_state_walk(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_merge_lists(const kernel_settings& setting);

}  // namespace stallscope::kernels
