// stallscope-wake: measures how long wake-ups take, of a timer or of a request through a chain of
// processes. With --front-end-of it is such a process of another server.
#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <csignal>
#include <cstdio>
#include <system_error>

#include "base/clock.hpp"
#include "base/json.hpp"
#include "base/program.hpp"
#include "base/stop_flag.hpp"
#include "command_line.hpp"
#include "histogram/interval_log.hpp"
#include "wake/answerers.hpp"
#include "wake/front_end.hpp"

namespace {

using stallscope::exit_code;
using stallscope::failure;
using stallscope::json;
using stallscope::wake::command_line;
using stallscope::wake::measurement;

stallscope::descriptor create_file(const std::string& name) {
  stallscope::descriptor file{
      ::open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC | O_NOFOLLOW, 0600)};
  if (!file) {
    throw failure(exit_code::usage,
                  "cannot create " + name + ": " + std::generic_category().message(errno),
                  "name a new file in a directory that this user may write");
  }
  return file;
}

void print(const command_line& options, const measurement& measured) {
  json document;
  document["event"] = "done";
  document["schema"] = "stallscope.wake/1";
  document["kind"] = options.kind;
  document["processes"] = options.plan.over ? options.plan.processes : 1;
  document["think_us"] = static_cast<double>(options.plan.think.count()) / 1000;
  document["cpus"] = options.plan.cpus;
  document["samples"] = measured.latencies.count();
  document["elapsed_s"] = static_cast<double>(measured.elapsed.count()) / 1e9;
  json& latency = document["latency_us"];
  for (const auto& [name, percentile] :
       {std::pair{"p50", 50.0}, {"p90", 90.0}, {"p99", 99.0}, {"p99.9", 99.9}, {"max", 100.0}}) {
    latency[name] = static_cast<double>(measured.latencies.value_at_percentile(percentile)) / 1000;
  }
  if (measured.latencies.count() == 0) latency = nullptr;
  std::puts(document.dump().c_str());
}

// Prints the port in one JSON line when clients can connect.
exit_code serve_as_front_end(const command_line& options) {
  if (!options.plan.cpus.empty()) stallscope::wake::run_on(options.plan.cpus.front());
  stallscope::wake::front_end relay(options.server_port);
  struct sigaction stop {};
  stop.sa_handler = [](int) { stallscope::request_stop(); };
  ::sigaction(SIGTERM, &stop, nullptr);
  ::sigaction(SIGINT, &stop, nullptr);
  json document;
  document["event"] = "ready";
  document["pid"] = ::getpid();
  document["port"] = relay.port();
  std::puts(document.dump().c_str());
  std::fflush(stdout);
  relay.serve();
  return exit_code::done;
}

exit_code run(const command_line& options) {
  if (options.server_port != 0) return serve_as_front_end(options);
  stallscope::descriptor file;
  if (!options.log.empty()) file = create_file(options.log);
  const double start_s = static_cast<double>(stallscope::realtime_ns()) / 1e9;
  const measurement measured = stallscope::wake::measure(options.plan);
  if (file) {
    stallscope::histogram::interval_log log(std::move(file), options.log, start_s);
    log.append(std::chrono::nanoseconds(0), measured.elapsed, measured.latencies);
  }
  print(options, measured);
  return exit_code::done;
}

}  // namespace

int main(int argc, char** argv) {
  const stallscope::program program("stallscope-wake",
                                    "name CPUs that are online and this process may use");
  std::signal(SIGPIPE, SIG_IGN);
  return program.run([&] {
    const auto options = stallscope::wake::parse_command_line(argc, argv);
    if (!options) return exit_code::done;
    if (options->die_with_parent && !program.follow_parent()) return exit_code::done;
    return run(*options);
  });
}
