// Scheduling for a thread that must run at once when it wakes, for a few microseconds.
#pragma once

#include <sys/types.h>

namespace stallscope::reader_process {

// Requests the shortest time slice for this thread, and a slightly raised priority (nice -5) if the
// user may. Since Linux 6.12 a thread with a shorter slice preempts others when it wakes; older
// kernels ignore the slice. The work of the thread must be limited otherwise. Costs two system
// calls.
void request_short_slice() noexcept;

// Moves a thread, by default this one, to one CPU; without effect if the kernel refuses it.
void move_to_cpu(int cpu, pid_t thread = 0) noexcept;

}  // namespace stallscope::reader_process
