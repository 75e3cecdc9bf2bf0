// Threads that wait for an answer over loopback TCP: clients of a server with one thread, and a
// client of a peer in another process that answers late. run() is called by the runner's threads.
#pragma once

#include <memory>

#include "kernels/kernel.hpp"

namespace stallscope::kernels {

std::unique_ptr<kernel_base> make_single_threaded_server(const kernel_settings& setting);
std::unique_ptr<kernel_base> make_slow_peer(const kernel_settings& setting);

}  // namespace stallscope::kernels
