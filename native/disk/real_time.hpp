// Real-time scheduling for the measuring thread: without it the scheduler of a busy machine looks
// like a slow disk. Uses the lowest SCHED_FIFO priority, which the kernel threads of io_uring
// inherit. If a point keeps a CPU busy, the kernel still reserves 5 % of it for other tasks. Costs
// two system calls.
#pragma once

#include <optional>
#include <string>

namespace stallscope::disk {

// Puts the calling thread into the real-time class. Returns the error message on failure.
std::optional<std::string> take_real_time();

// Binds the calling thread to a CPU. Throws failure (usage) if that is not possible.
void bind_to_cpu(int cpu);

}  // namespace stallscope::disk
