// A cgroup with the cpu controller, version 1 or 2, beside the cgroup of this process: for a quota
// of CPU time. Needs the right to make cgroups (root). The destructor moves this process back and
// removes the cgroup.
//
//   const cpu_cgroup group("stallscope-kernels");
//   group.set_quota(20'000, 100'000);
//   group.add(getpid());
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

namespace stallscope::kernels {

class cpu_cgroup {
 public:
  // Throws std::system_error if it cannot be made.
  explicit cpu_cgroup(const std::string& name);
  ~cpu_cgroup();
  cpu_cgroup(const cpu_cgroup&) = delete;
  cpu_cgroup& operator=(const cpu_cgroup&) = delete;
  cpu_cgroup(cpu_cgroup&&) = delete;
  cpu_cgroup& operator=(cpu_cgroup&&) = delete;

  // Limits the CPU time per period; microseconds. Throws std::system_error.
  void set_quota(unsigned quota_us, unsigned period_us) const;
  // Moves a process into the cgroup. Throws std::system_error.
  void add(pid_t pid) const;
  // Returns the time in which its threads were throttled; 0 if it cannot be read.
  [[nodiscard]] std::uint64_t throttled_ns() const;
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  bool version_2_;
  std::string parent_;
  std::string path_;
};

}  // namespace stallscope::kernels
