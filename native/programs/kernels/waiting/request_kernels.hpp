// The entries of the kernels whose requests are slow in a known way, for the table of all kernels.
#pragma once

#include <array>

#include "kernels/table.hpp"
#include "kernels/waiting/slow_requests.hpp"

namespace stallscope::kernels {

inline constexpr std::array request_kernels = {
    kernel_entry{.name = "slow-requests-disk",
                 .what = "requests of which 2 % write to a disk",
                 .expected = "requests: disk write",
                 .without_counters = "its account: time per request",
                 .make = make_slow_requests_disk,
                 .iterations_per_call = 1,
                 .threads = 6,
                 .min_threads = 2,
                 .look_alike = "write in a thread that handles no requests",
                 .uses_disk = true},
    kernel_entry{.name = "slow-requests-lock",
                 .what = "requests of which 2 % wait for a mutex",
                 .expected = "requests: lock",
                 .without_counters = "its account: time per request",
                 .make = make_slow_requests_lock,
                 .iterations_per_call = 1,
                 .threads = 6,
                 .min_threads = 2,
                 .look_alike = "take the mutex in a thread that handles no requests"},
    kernel_entry{.name = "slow-requests-compute",
                 .what = "requests of which 2 % compute for 16 ms",
                 .expected = "requests: running",
                 .without_counters = "its account: time per request",
                 .make = make_slow_requests_compute,
                 .iterations_per_call = 1,
                 .threads = 6,
                 .min_threads = 2,
                 .look_alike = "compute in a thread that handles no requests"},
    kernel_entry{.name = "slow-requests-memory",
                 .what = "requests of which 2 % touch new memory for 16 ms",
                 .expected = "requests: running",
                 .without_counters = "its account: time per request",
                 .make = make_slow_requests_memory,
                 .iterations_per_call = 1,
                 .threads = 6,
                 .min_threads = 2,
                 .look_alike = "touch memory in a thread that handles no requests"}};

}  // namespace stallscope::kernels
