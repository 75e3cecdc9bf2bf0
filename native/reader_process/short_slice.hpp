// Scheduling for a thread that must run at once when it wakes, for a few microseconds.
#pragma once

#include <sys/types.h>

namespace stallscope::reader_process {

// On an overloaded machine a thread at the normal priority gets too little time to read at
// thousands of samples per second. The share of this one is that of three normal threads.
inline constexpr int raised_priority = -5;
// The share of 87 normal threads: rings fill while a thread that empties them waits for a CPU.
inline constexpr int highest_priority = -20;

// Requests the shortest time slice for this thread, and a raised priority (as of nice) if the user
// may. Since Linux 6.12 a thread with a shorter slice preempts others when it wakes; older kernels
// ignore the slice. The work of the thread must be limited otherwise. Threads and processes that it
// starts later have the normal priority. Costs two system calls.
void request_short_slice(int priority = raised_priority) noexcept;

// Moves a thread, by default this one, to one CPU; without effect if the kernel refuses it.
void move_to_cpu(int cpu, pid_t thread = 0) noexcept;

}  // namespace stallscope::reader_process
