// Threads that pass work on: a pipeline of three stages with bounded queues. run() is called by
// the runner's threads, one per stage.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_pipeline_slow_middle(const kernel_settings& setting);

}  // namespace stallscope::kernels
