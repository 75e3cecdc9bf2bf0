#include "command_line.hpp"

#include <charconv>
#include <cmath>

#include "base/command_line.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::wake {
namespace {

constexpr double ns_per_us = 1000;

failure usage_failure(const std::string& message) {
  return {exit_code::usage, message, "see stallscope-wake --help"};
}

std::chrono::nanoseconds from_us(double us) {
  if (std::isnan(us)) throw usage_failure("expected a number, got NaN");
  return std::chrono::nanoseconds(std::llround(us * ns_per_us));
}

// In the order of the processes, which use them in turn.
std::vector<int> parse_cpus(const std::string& text) {
  std::vector<int> cpus;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    int cpu = -1;
    const auto [last, error] = std::from_chars(text.data() + at, text.data() + end, cpu);
    if (error != std::errc{} || last != text.data() + end || cpu < 0 ||
        cpu > perf_events::max_cpu) {
      throw usage_failure("--cpus: expected one CPU per process, such as 0,2");
    }
    cpus.push_back(cpu);
    at = end + 1;
  }
  return cpus;
}

}  // namespace

std::optional<command_line> parse_command_line(int argc, char** argv) {
  cli::parser app("Measures how long wake-ups take: of a timer, or of a request and its reply",
                  "stallscope-wake");
  app.set_version_flag("--version", "stallscope-wake " STALLSCOPE_VERSION);
  command_line options;
  options.kind = "timer";
  double think_us = 1000;
  double duration_s = 1;
  std::string cpus;
  const cli::option kind =
      app.add_option("--kind", options.kind,
                     "timer, or the channel of a request: futex, pipe, unix or tcp")
          .check(cli::one_of({"timer", "futex", "pipe", "unix", "tcp"}))
          .capture_default_str();
  app.add_option("--think-us", think_us,
                 "Sleep before each request, or period of the timer, in microseconds")
      .check(cli::range(0.0, 1e7))
      .capture_default_str();
  app.add_option("--processes", options.plan.processes,
                 "2: client and server; 3: client, front end and back end")
      .check(cli::range(2U, 3U))
      .capture_default_str();
  app.add_option("--duration", duration_s, "Duration in seconds; the first tenth is warm-up")
      .check(cli::range(0.01, 86'400.0))
      .capture_default_str();
  app.add_option("--samples", options.plan.max_samples, "Maximum number of samples; 0: no maximum")
      .check(cli::range(std::uint64_t{0}, std::uint64_t{1} << 40U))
      .capture_default_str();
  app.add_option("--cpus", cpus, "CPUs of the processes, in turn, such as 0,2");
  const cli::option log = app.add_option("-o,--output", options.log, "New file for the histogram");
  app.add_option("--front-end-of", options.server_port,
                 "Instead of measuring, pass requests of clients on to the server on this local "
                 "port, until SIGTERM or SIGINT")
      .check(cli::range(1, 65'535))
      .excludes(kind)
      .excludes(log);
  add_die_with_parent(app, options.die_with_parent);
  app.footer(
      "Prints one JSON document. Example: stallscope-wake --kind futex --think-us 500 --cpus 0,1");
  if (!stallscope::parse_arguments(app, argc, argv)) return std::nullopt;
  if (options.kind != "timer") options.plan.over = transport_of(options.kind);
  options.plan.think = from_us(think_us);
  options.plan.duration = from_us(duration_s * 1e6);
  if (!cpus.empty()) options.plan.cpus = parse_cpus(cpus);
  return options;
}

}  // namespace stallscope::wake
