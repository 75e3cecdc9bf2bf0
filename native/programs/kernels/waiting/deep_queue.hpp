// Threads that read a disk, more at a time than it works on. run() is called by the runner's
// threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_deep_queue(const kernel_settings& setting);

}  // namespace stallscope::kernels
