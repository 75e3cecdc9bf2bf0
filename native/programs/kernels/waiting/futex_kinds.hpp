// Threads that wait by futexes of many kinds: an owner may be named for the locks of glibc alone.
// run() is called by the runner's threads, one per kind.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_futex_kinds(const kernel_settings& setting);

}  // namespace stallscope::kernels
