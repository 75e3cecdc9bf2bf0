// Total time that the calling thread was runnable without a CPU. Reads /proc, about 10 us.
#pragma once

#include <cstdint>
#include <optional>

namespace stallscope {

// Empty if the kernel has no schedstat.
std::optional<std::uint64_t> thread_run_delay_ns();

}  // namespace stallscope
