#include "stallscope/collect/refusal.hpp"

#include <cerrno>
#include <cstring>

#include "stallscope/collect/procfs.hpp"

namespace stallscope {

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

failure refusal(int error, const std::string& target, int cpu) {
  const std::string what = "the kernel refused to sample " + target + " on CPU " +
                           std::to_string(cpu) + ": perf_event_open gives " + error_text(error);
  switch (error) {
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

}  // namespace stallscope
