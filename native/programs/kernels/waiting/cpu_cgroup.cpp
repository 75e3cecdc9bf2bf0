#include "kernels/waiting/cpu_cgroup.hpp"

#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <string_view>
#include <system_error>

namespace stallscope::kernels {
namespace {

constexpr const char* version_1_root = "/sys/fs/cgroup/cpu";
constexpr const char* version_2_root = "/sys/fs/cgroup";

void write_value(const std::string& path, const std::string& value) {
  errno = 0;
  std::ofstream file(path);
  file << value << std::flush;
  if (!file) {
    throw std::system_error(errno != 0 ? errno : EIO, std::generic_category(),
                            "cannot write to " + path);
  }
}

// Returns the path of this process's cgroup of the cpu controller below the version 1 root.
std::string own_version_1_path() {
  std::ifstream lines("/proc/self/cgroup");
  for (std::string line; std::getline(lines, line);) {
    const auto first = line.find(':');
    const auto second = line.find(':', first + 1);
    if (second == std::string::npos) continue;
    const std::string controllers = "," + line.substr(first + 1, second - first - 1) + ",";
    if (controllers.find(",cpu,") != std::string::npos) return line.substr(second + 1);
  }
  return "";
}

std::string parent_path(bool version_2) {
  if (version_2) return version_2_root;
  std::string path = version_1_root + own_version_1_path();
  return std::filesystem::exists(path) ? path : version_1_root;
}

}  // namespace

cpu_cgroup::cpu_cgroup(const std::string& name)
    : version_2_(!std::filesystem::exists(std::string(version_1_root) + "/cgroup.procs")),
      parent_(parent_path(version_2_)),
      path_(parent_ + "/" + name + "-" + std::to_string(getpid())) {
  constexpr mode_t mode = 0755;
  if (mkdir(path_.c_str(), mode) != 0) {
    throw std::system_error(errno, std::generic_category(), "cannot make the cgroup " + path_);
  }
}

cpu_cgroup::~cpu_cgroup() {
  std::ofstream(parent_ + "/cgroup.procs") << getpid() << std::flush;
  rmdir(path_.c_str());
}

void cpu_cgroup::set_quota(unsigned quota_us, unsigned period_us) const {
  const std::string quota = std::to_string(quota_us);
  const std::string period = std::to_string(period_us);
  if (version_2_) {
    write_value(path_ + "/cpu.max", quota + " " + period);
  } else {
    write_value(path_ + "/cpu.cfs_period_us", period);
    write_value(path_ + "/cpu.cfs_quota_us", quota);
  }
}

void cpu_cgroup::add(pid_t pid) const { write_value(path_ + "/cgroup.procs", std::to_string(pid)); }

std::uint64_t cpu_cgroup::throttled_ns() const {
  std::ifstream statistics(path_ + "/cpu.stat");
  std::string key;
  std::uint64_t value = 0;
  while (statistics >> key >> value) {
    if (key == "throttled_time") return value;
    if (key == "throttled_usec") return value * 1000;
  }
  return 0;
}

}  // namespace stallscope::kernels
