#include "kernels/pinning.hpp"

#include <pthread.h>
#include <sched.h>

#include <string>
#include <system_error>

namespace stallscope::kernels {

void pin_to(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  if (cpu < CPU_SETSIZE) CPU_SET(static_cast<unsigned>(cpu), &set);
  const int error = pthread_setaffinity_np(pthread_self(), sizeof set, &set);
  if (error != 0) {
    throw std::system_error(error, std::generic_category(),
                            "cannot pin a thread to CPU " + std::to_string(cpu));
  }
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  const int error = pthread_getaffinity_np(pthread_self(), sizeof set, &set);
  if (error != 0) {
    throw std::system_error(error, std::generic_category(), "cannot read a thread's CPUs");
  }
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace stallscope::kernels
