#include "collect/refusal.hpp"

#include <cerrno>
#include <cstring>

#include "base/procfs.hpp"

namespace stallscope::collect {

std::string error_text(int error) {
  const char* name = ::strerrorname_np(error);
  const char* text = ::strerrordesc_np(error);
  return std::string{name != nullptr ? name : "errno"} + " (" +
         (text != nullptr ? text : std::to_string(error)) + ")";
}

std::string paranoid_level() {
  std::string level = read_text("/proc/sys/kernel/perf_event_paranoid", 64);
  while (level.ends_with('\n')) level.pop_back();
  return level.empty() ? "unknown" : level;
}

std::string privilege_remedy() {
  return "run as root, or let this program do it (setcap cap_perfmon+ep on stallscope-collect), or "
         "lower the level (sysctl kernel.perf_event_paranoid=0)";
}

namespace {

std::string refused(int error, const std::string& target, int cpu) {
  return "the kernel refused to observe " + target + " on CPU " + std::to_string(cpu) +
         ": perf_event_open gives " + error_text(error);
}

}  // namespace

failure cgroup_refusal(int error, const std::string& path, int cpu) {
  // What these say of a cgroup is something else than what they say of an event, which by then has
  // been opened for the whole CPU.
  if (error != ENOENT && error != EBADF && error != EINVAL)
    return refusal(error, "the cgroup " + path, cpu);
  return {exit_code::unable,
          refused(error, "the cgroup " + path, cpu) +
              ": it is not under the kernel's perf_event controller, or is gone",
          error == EINVAL ? "this kernel was built without it: name processes (-p) or CPUs (-a)"
                          : "name the cgroup in the hierarchy that has the controller: the mount "
                            "with perf_event in /proc/self/mounts, else the cgroup2 one (unless "
                            "the kernel was booted with cgroup_disable=perf_event)"};
}

failure refusal(int error, const std::string& target, int cpu) {
  const std::string what = refused(error, target, cpu);
  switch (error) {
    case EOVERFLOW:
      return {exit_code::unable, what + ": the requested call chains are too long",
              "ask for fewer frames (--max-stack), or raise kernel.perf_event_max_stack"};
    case EACCES:
    case EPERM:
      return {exit_code::unable, what + " at kernel.perf_event_paranoid " + paranoid_level(),
              privilege_remedy() + "; processes of other users need root or cap_sys_ptrace too"};
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return {exit_code::unable, what,
              "this machine has no such event: leave out -e, or see stallscope doctor"};
    case ENXIO:
      return {exit_code::unable, what, "the CPU is not online: choose others with -C"};
    case EBUSY:
      return {exit_code::unable, what,
              "another user or the NMI watchdog holds the counter: sysctl kernel.nmi_watchdog=0"};
    case EMFILE:
    case ENFILE:
      return {exit_code::unable, what, "raise the limit of open files (ulimit -n)"};
    case EINVAL:
      return {exit_code::unable, what,
              "this kernel cannot sample the event so: try another one with -e"};
    default:
      return {exit_code::unable, what, "see stallscope doctor for what this machine can measure"};
  }
}

}  // namespace stallscope::collect
