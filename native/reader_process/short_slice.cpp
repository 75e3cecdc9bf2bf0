#include "reader_process/short_slice.hpp"

#include <sched.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstdint>

namespace stallscope::reader_process {
namespace {

// The least that the kernel accepts.
constexpr std::uint64_t slice_ns = 100'000;
constexpr std::uint64_t reset_on_fork = 1;  // SCHED_FLAG_RESET_ON_FORK

// struct sched_attr of the kernel in its first version, which the C library does not declare.
struct scheduling_attributes {
  std::uint32_t size = sizeof(scheduling_attributes);
  std::uint32_t policy = SCHED_OTHER;
  std::uint64_t flags = 0;
  std::int32_t nice = 0;
  std::uint32_t priority = 0;
  std::uint64_t runtime = 0;
  std::uint64_t deadline = 0;
  std::uint64_t period = 0;
};

}  // namespace

void request_short_slice(int priority) noexcept {
  scheduling_attributes attributes;
  if (::syscall(SYS_sched_getattr, 0, &attributes, sizeof attributes, 0) != 0 ||
      attributes.policy != SCHED_OTHER)
    return;
  attributes.size = sizeof attributes;
  attributes.flags |= reset_on_fork;
  attributes.runtime = slice_ns;
  if (::syscall(SYS_sched_setattr, 0, &attributes, 0) != 0) return;
  attributes.nice = std::min(attributes.nice, std::int32_t{priority});
  ::syscall(SYS_sched_setattr, 0, &attributes, 0);  // fails for ordinary users
}

void move_to_cpu(int cpu, pid_t thread) noexcept {
  cpu_set_t only;
  CPU_ZERO(&only);
  CPU_SET(static_cast<unsigned>(cpu), &only);
  ::sched_setaffinity(thread, sizeof only, &only);
}

}  // namespace stallscope::reader_process
