// stallscope-wake: how long wake-ups take, of a timer or of a request through a chain of processes.
#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <system_error>

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "command_line.hpp"
#include "histogram/interval_log.hpp"

namespace {

using stallscope::exit_code;
using stallscope::failure;
using stallscope::wake::command_line;
using stallscope::wake::outcome;

int told(const char* message, const char* remedy, exit_code code) {
  std::fprintf(stderr, "stallscope-wake: error: %s\n  remedy: %s\n", message, remedy);
  return static_cast<int>(code);
}

stallscope::descriptor new_file(const std::string& name) {
  stallscope::descriptor made{
      ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!made) {
    throw failure(exit_code::usage,
                  "cannot make " + name + ": " + std::generic_category().message(errno),
                  "name a file that is not there, in a directory that this user may write");
  }
  return made;
}

void tell(const command_line& line, const outcome& found) {
  nlohmann::ordered_json document;
  document["event"] = "done";
  document["schema"] = "stallscope.wake/1";
  document["kind"] = line.kind;
  document["processes"] = line.asked.over ? line.asked.processes : 1;
  document["think_us"] = static_cast<double>(line.asked.think.count()) / 1000;
  document["cpus"] = line.asked.cpus;
  document["samples"] = found.latencies.count();
  document["elapsed_s"] = static_cast<double>(found.elapsed.count()) / 1e9;
  nlohmann::ordered_json& latency = document["latency_us"];
  for (const auto& [name, percentile] :
       {std::pair{"p50", 50.0}, {"p90", 90.0}, {"p99", 99.0}, {"p99.9", 99.9}, {"max", 100.0}}) {
    latency[name] = static_cast<double>(found.latencies.value_at_percentile(percentile)) / 1000;
  }
  if (found.latencies.count() == 0) latency = nullptr;
  std::puts(document.dump().c_str());
}

int run(const command_line& line) {
  stallscope::descriptor file;
  if (!line.log.empty()) file = new_file(line.log);
  const double start_s = static_cast<double>(stallscope::realtime_ns()) / 1e9;
  const outcome found = stallscope::wake::measure(line.asked);
  if (file) {
    stallscope::histogram::interval_log log(std::move(file), line.log, start_s);
    log.append(std::chrono::nanoseconds(0), found.elapsed, found.latencies);
  }
  tell(line, found);
  return static_cast<int>(exit_code::done);
}

}  // namespace

int main(int argc, char** argv) {
  const pid_t parent = ::getppid();
  std::signal(SIGPIPE, SIG_IGN);
  try {
    const auto line = stallscope::wake::parse_command_line(argc, argv);
    if (!line) return static_cast<int>(exit_code::done);
    if (line->die_with_parent) {
      ::prctl(PR_SET_PDEATHSIG, static_cast<unsigned long>(SIGTERM), 0UL, 0UL, 0UL);
      if (::getppid() != parent) return static_cast<int>(exit_code::done);
    }
    return run(*line);
  } catch (const failure& problem) {
    return told(problem.what(), problem.remedy().c_str(), problem.code());
  } catch (const std::exception& error) {
    return told(error.what(), "name CPUs that are online and this process may use",
                exit_code::unable);
  }
}
