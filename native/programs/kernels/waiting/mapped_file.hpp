// A thread that reads a mapped file whose pages are not in the page cache: each read is a fault
// that waits for the disk. run() is called by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_mapped_file_faults(const kernel_settings& setting);

}  // namespace stallscope::kernels
