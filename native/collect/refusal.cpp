#include "collect/refusal.hpp"

#include <sys/syscall.h>
#include <unistd.h>

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

bool seccomp_denies() {
  if (read_text("/proc/self/status", 4096).find("\nSeccomp:\t2") == std::string::npos) return false;
  // The kernel reads the attribute first and returns EFAULT; a filter returns before that.
  return ::syscall(SYS_perf_event_open, nullptr, 0, -1, -1, 0UL) < 0 && errno != EFAULT;
}

std::string denial() {
  if (seccomp_denies()) return "because a seccomp filter denies the call";
  return "at kernel.perf_event_paranoid " + paranoid_level();
}

std::string privilege_remedy() {
  if (seccomp_denies()) {
    return "start the container with --security-opt seccomp=unconfined (or a profile that allows "
           "perf_event_open) and --cap-add PERFMON; for a systemd service, add "
           "SystemCallFilter=perf_event_open";
  }
  return "run as root, give stallscope-collect the capability (setcap cap_perfmon+ep), or "
         "lower the level (sysctl kernel.perf_event_paranoid=0)";
}

namespace {

std::string refused(int error, const std::string& target, int cpu) {
  return "the kernel refused to observe " + target + " on CPU " + std::to_string(cpu) +
         ": perf_event_open returns " + error_text(error);
}

}  // namespace

failure cgroup_refusal(int error, const std::string& path, int cpu) {
  // These errors concern the cgroup, because the event was already opened for the whole CPU.
  if (error != ENOENT && error != EBADF && error != EINVAL)
    return refusal(error, "the cgroup " + path, cpu);
  return {exit_code::unable,
          refused(error, "the cgroup " + path, cpu) +
              ": the perf_event controller does not cover it, or it was removed",
          error == EINVAL ? "this kernel was built without the controller: name processes (-p) or "
                            "CPUs (-a)"
                          : "name the cgroup in the hierarchy that has the controller: the mount "
                            "with perf_event in /proc/self/mounts, otherwise the cgroup2 mount "
                            "(unless the kernel was booted with cgroup_disable=perf_event)"};
}

failure refusal(int error, const std::string& target, int cpu) {
  const std::string what = refused(error, target, cpu);
  switch (error) {
    case EOVERFLOW:
      return {exit_code::unable, what + ": the requested call chains are too long",
              "request fewer frames (--max-stack), or raise kernel.perf_event_max_stack"};
    case EACCES:
    case EPERM:
      return {exit_code::unable, what + " " + denial(),
              privilege_remedy() + "; processes of other users also need root or cap_sys_ptrace"};
    case ENOENT:
    case ENODEV:
    case EOPNOTSUPP:
      return {exit_code::unable, what,
              "this machine does not have the event: omit -e, or see stallscope doctor"};
    case ENXIO:
      return {exit_code::unable, what, "the CPU is not online: name other CPUs with -C"};
    case EBUSY:
      return {exit_code::unable, what,
              "another program or the NMI watchdog holds the counter: sysctl "
              "kernel.nmi_watchdog=0"};
    case EMFILE:
    case ENFILE:
      return {exit_code::unable, what, "raise the limit of open files (ulimit -n)"};
    case EINVAL:
      return {exit_code::unable, what,
              "this kernel cannot sample the event with these options: try another with -e"};
    default:
      return {exit_code::unable, what, "see stallscope doctor for what this machine can measure"};
  }
}

}  // namespace stallscope::collect
