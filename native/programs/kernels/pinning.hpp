// Pins the calling thread to a CPU. Costs one system call.
#pragma once

namespace stallscope::kernels {

// Pins the calling thread to the CPU. Throws std::system_error if the CPU does not exist or this
// process may not use it.
void pin_to(int cpu);

}  // namespace stallscope::kernels
