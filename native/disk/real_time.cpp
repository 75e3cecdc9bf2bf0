#include "disk/real_time.hpp"

#include <pthread.h>
#include <sched.h>
#include <sys/prctl.h>

#include <cerrno>
#include <cstring>

#include "base/failure.hpp"

namespace stallscope::disk {

std::optional<std::string> take_real_time() {
  ::prctl(PR_SET_TIMERSLACK, 1UL, 0UL, 0UL, 0UL);
  const sched_param lowest{.sched_priority = ::sched_get_priority_min(SCHED_FIFO)};
  if (::sched_setscheduler(0, SCHED_FIFO, &lowest) == 0) return std::nullopt;
  return std::string{"sched_setscheduler: "} + std::strerror(errno);
}

void bind_to_cpu(int cpu) {
  cpu_set_t set;
  CPU_ZERO(&set);
  CPU_SET(static_cast<std::size_t>(cpu), &set);
  const int error = ::pthread_setaffinity_np(::pthread_self(), sizeof(set), &set);
  if (error != 0) {
    throw failure(exit_code::usage,
                  "cannot run on CPU " + std::to_string(cpu) + ": " + std::strerror(error),
                  "choose a CPU that is online and allowed for this process");
  }
}

}  // namespace stallscope::disk
