// The same branch on two streams of bits: one that nothing can foresee, one of a short period. What
// differs between the two kernels is the predictor's luck alone.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_random_branches(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_periodic_branches(const kernel_settings& setting);

}  // namespace stallscope::kernels
