// A spin lock that more threads share than CPUs: if the holder is preempted, all others spin until
// it runs again. With `look_alike` the threads do the same work on the same CPUs and are preempted
// as often, but hold the lock only for a moment. run() is called by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_spin_convoy(const kernel_settings& setting);

}  // namespace stallscope::kernels
