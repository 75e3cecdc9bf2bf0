// Many threads that queue for one short lock, which is handed from thread to thread.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_lock_convoy(const kernel_settings& setting);

}  // namespace stallscope::kernels
