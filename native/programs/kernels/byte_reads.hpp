// A thread that reads a file byte by byte, with a system call per byte. run() is called by the
// runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_byte_reads(const kernel_settings& setting);

}  // namespace stallscope::kernels
