// The CPUs of the calling thread. Costs one system call.
#pragma once

#include <vector>

namespace stallscope::kernels {

// Pins the calling thread to the CPU. Throws std::system_error if the CPU does not exist or this
// process may not use it.
void pin_to(int cpu);

// Returns the CPUs that the calling thread may use, in order. Throws std::system_error.
std::vector<int> allowed_cpus();

}  // namespace stallscope::kernels
