// The same branch on two streams of bits: one that nothing can foresee, one of a short period. What
// differs between the two kernels is the predictor's luck alone.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<Kernel> make_random_branches(const Setting& setting);
std::unique_ptr<Kernel> make_periodic_branches(const Setting& setting);

}  // namespace stallscope::kernels
