#include "arguments.hpp"

#include <fcntl.h>

#include <algorithm>
#include <stdexcept>

#include "base/failure.hpp"
#include "collect/reporter.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::collect {
namespace {

constexpr double max_duration_s = 1e9;

}  // namespace

void usage(const std::string& message, const std::string& remedy) {
  throw failure{exit_code::usage, message, remedy};
}

program_arguments split_arguments(const std::vector<std::string>& words) {
  const auto dashes = std::find(words.begin(), words.end(), "--");
  program_arguments arguments{{words.begin() + 1, dashes}, {}};
  if (dashes != words.end()) arguments.command.assign(dashes + 1, words.end());
  if (dashes != words.end() && arguments.command.empty()) usage("no command follows --");
  return arguments;
}

void check_protocol(int protocol) {
  if (protocol == protocol_version) return;
  usage("protocol " + std::to_string(protocol) +
            " was requested; this is stallscope-collect " STALLSCOPE_VERSION " with protocol " +
            std::to_string(protocol_version),
        "install the programs and the package in the same version");
}

void check_duration(double seconds) {
  if (!(seconds >= 0 && seconds <= max_duration_s))
    usage("--duration must be a number of seconds, at most 1e9");
}

void check_descriptor(const char* flag, int fd) {
  if (fd >= 0 && ::fcntl(fd, F_SETFD, FD_CLOEXEC) == 0) return;
  usage(std::string{flag} + ": no file is open under the number " + std::to_string(fd),
        "pass an open descriptor from the calling program");
}

std::vector<pid_t> checked_pids(std::vector<pid_t> pids) {
  if (std::any_of(pids.begin(), pids.end(), [](pid_t pid) { return pid <= 0; }))
    usage("a pid is a number above 0");
  std::sort(pids.begin(), pids.end());
  pids.erase(std::unique(pids.begin(), pids.end()), pids.end());
  return pids;
}

std::vector<int> checked_cpus(const std::string& list) {
  if (list.empty()) return {};
  try {
    return perf_events::parse_cpu_list(list);
  } catch (const std::invalid_argument& error) {
    usage(std::string{"-C: "} + error.what());
  }
}

}  // namespace stallscope::collect
