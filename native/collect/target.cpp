#include "collect/target.hpp"

#include <fcntl.h>
#include <sys/resource.h>

#include <algorithm>
#include <cerrno>
#include <filesystem>
#include <sstream>
#include <system_error>

#include "base/failure.hpp"
#include "collect/refusal.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::collect {

std::vector<std::string> cgroup_roots(const std::string& mounts, const std::string& controller) {
  std::vector<std::string> roots;
  std::string unified;
  std::istringstream lines{read_text(mounts)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream fields{line};
    std::string device;
    std::string path;
    std::string type;
    std::string flags;
    fields >> device >> path >> type >> flags;
    if (type == "cgroup2" && unified.empty()) unified = path;
    if (type == "cgroup" && ("," + flags + ",").find("," + controller + ",") != std::string::npos)
      roots.push_back(path);
  }
  if (!unified.empty()) roots.push_back(unified);
  return roots;
}

void check_processes(const procfs& proc, std::span<const pid_t> pids) {
  for (const pid_t pid : pids) {
    const std::string number = std::to_string(pid);
    const auto status = proc.status(pid);
    if (!status) {
      throw failure{exit_code::target_failed, "there is no process " + number,
                    "list the running processes with ps"};
    }
    if (status->tgid != pid) {
      throw failure{exit_code::target_failed,
                    number + " is a thread of process " + std::to_string(status->tgid),
                    "name the process: -p " + std::to_string(status->tgid)};
    }
    // The first thread may have ended while others run.
    const bool ended = status->state == 'Z' || status->state == 'X';
    if (ended && proc.threads(pid).size() <= 1) {
      throw failure{exit_code::target_failed, "process " + number + " has ended already",
                    "name a running process"};
    }
  }
}

open_cgroup find_cgroup(const std::string& name, const std::string& mounts) {
  std::vector<std::string> candidates;
  if (name.starts_with('/')) candidates.push_back(name);
  for (const auto& root : cgroup_roots(mounts, "perf_event"))
    candidates.push_back(std::string{root}.append("/").append(name));
  for (const auto& path : candidates) {
    descriptor fd{::open(path.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC)};
    std::error_code ignored;
    if (fd && std::filesystem::exists(path + "/cgroup.procs", ignored))
      return {path, std::move(fd)};
  }
  std::string tried;
  for (const auto& path : candidates) tried.append(tried.empty() ? "" : ", ").append(path);
  throw failure{exit_code::target_failed, "there is no cgroup " + name + " (tried " + tried + ")",
                "give its full path below /sys/fs/cgroup"};
}

std::vector<pid_t> processes_of_cgroup(const std::string& path) {
  std::vector<pid_t> pids;
  const auto add = [&pids](const std::filesystem::path& folder) {
    std::istringstream list{read_text(folder / "cgroup.procs")};
    for (pid_t pid = 0; list >> pid;) pids.push_back(pid);
  };
  add(path);
  std::error_code error;
  for (std::filesystem::recursive_directory_iterator at{path, error}, end; !error && at != end;
       at.increment(error)) {
    if (at->is_directory(error)) add(at->path());
  }
  return pids;
}

std::vector<int> usable_cpus(std::span<const int> requested) {
  auto online = perf_events::online_cpus();
  if (requested.empty()) return online;
  for (const int cpu : requested) {
    if (std::binary_search(online.begin(), online.end(), cpu)) continue;
    throw failure{exit_code::usage,
                  "CPU " + std::to_string(cpu) + " is not online; the online CPUs are " +
                      perf_events::format_cpu_list(online),
                  "name online CPUs with -C"};
  }
  return {requested.begin(), requested.end()};
}

rlimit descriptor_limit() {
  rlimit limit{};
  if (::getrlimit(RLIMIT_NOFILE, &limit) != 0)
    throw std::system_error(errno, std::generic_category(), "getrlimit");
  return limit;
}

std::size_t raise_descriptor_limit() {
  const rlimit limit = descriptor_limit();
  rlimit raised = limit;
  raised.rlim_cur = limit.rlim_max;
  return static_cast<std::size_t>(::setrlimit(RLIMIT_NOFILE, &raised) == 0 ? raised.rlim_cur
                                                                           : limit.rlim_cur);
}

}  // namespace stallscope::collect
