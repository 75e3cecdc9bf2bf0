// Threads that wait for a lock whose holder is the cause, or waits itself: for its computation, for
// a disk, for a CPU, and beside threads that sleep while nothing waits for them. run() is called by
// the runner's threads: thread 0 holds the lock most of the time.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_lock_hog(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_lock_holder_on_slow_disk(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_preempted_holder(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_idle_sleeper(const kernel_settings& setting);

}  // namespace stallscope::kernels
