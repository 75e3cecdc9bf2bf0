// Keeps a thread on one CPU. One system call; by the thread itself.
#pragma once

namespace stallscope::kernels {

// The calling thread runs on this CPU only, from now on. Throws std::system_error where there is no
// such CPU or this process may not use it.
void pin_to(int cpu);

}  // namespace stallscope::kernels
