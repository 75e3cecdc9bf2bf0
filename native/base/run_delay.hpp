// How long the calling thread was runnable without a CPU, so far. A read of /proc, some 10 us.
#pragma once

#include <cstdint>
#include <optional>

namespace stallscope {

// Nothing where the kernel keeps no schedstat.
std::optional<std::uint64_t> thread_run_delay_ns();

}  // namespace stallscope
