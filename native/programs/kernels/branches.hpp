// Kernels with the same branch on two bit streams: random bits, and bits with a short period. The
// kernels differ only in the number of mispredictions. Costs a few cycles per iteration without a
// misprediction. run() is called by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_random_branches(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_periodic_branches(const kernel_settings& setting);

}  // namespace stallscope::kernels
