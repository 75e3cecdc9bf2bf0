// The real-time class of the thread that measures: without it a busy machine's scheduler looks like
// a slow disk. The lowest priority of SCHED_FIFO, which kernel threads that io_uring starts for it
// have, too. Where a point keeps a CPU busy for its whole time, the kernel still gives others a
// twentieth of it. Two system calls.
#pragma once

#include <optional>
#include <string>

namespace stallscope::disk {

// Why the calling thread was refused the class; nothing where it has it now.
std::optional<std::string> take_real_time();

// Binds the calling thread to a CPU; failure (usage) where that cannot be.
void bind_to_cpu(int cpu);

}  // namespace stallscope::disk
