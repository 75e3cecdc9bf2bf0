// Threads that handle requests and mark them: 2 % do extra work of one kind, which makes them slow.
// Every request computes and sleeps; thread 0 computes and handles no request. The look-alike does
// the extra work in thread 0, and its requests differ in length: all parts of a long one are long.
// Each request is measured by its thread. run() is called by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_slow_requests_disk(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_slow_requests_lock(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_slow_requests_compute(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_slow_requests_memory(const kernel_settings& setting);

}  // namespace stallscope::kernels
