// Scheduling for a thread that must run at once when it wakes, for a few microseconds.
#pragma once

namespace stallscope::reader_process {

// Requests the shortest time slice for this thread, at the normal priority. Since Linux 6.12 a
// thread with a shorter slice preempts others when it wakes, and gets no larger share of the CPU.
// Older kernels ignore the request. Costs a system call and needs no privilege.
void request_short_slice() noexcept;

// Moves this thread to one CPU; without effect if the kernel refuses it.
void move_to_cpu(int cpu) noexcept;

}  // namespace stallscope::reader_process
