// Kernels whose threads wait because the work under their mutex is long: it grows with the number
// of entries, or follows long chains of a hash table. With `look_alike` the threads, the mutex and
// the entries are the same, but the work under the mutex is short. run() is called by the runner's
// threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_o_n_critical_section(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_hash_under_lock(const kernel_settings& setting);

}  // namespace stallscope::kernels
