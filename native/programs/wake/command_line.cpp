#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>

#include "base/failure.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::wake {
namespace {

constexpr double ns_per_us = 1000;

failure wrong(const std::string& what) {
  return {exit_code::usage, what, "see stallscope-wake --help"};
}

std::chrono::nanoseconds of_us(double us) {
  if (std::isnan(us)) throw wrong("nan is no amount of anything");
  return std::chrono::nanoseconds(std::llround(us * ns_per_us));
}

// In the order given, for the processes take them in turn.
std::vector<int> cpus_of(const std::string& text) {
  std::vector<int> cpus;
  for (std::size_t at = 0; at <= text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    int cpu = -1;
    const auto [last, error] = std::from_chars(text.data() + at, text.data() + end, cpu);
    if (error != std::errc{} || last != text.data() + end || cpu < 0 ||
        cpu > perf_events::max_cpu) {
      throw wrong("--cpus is one CPU a process, as 0,2");
    }
    cpus.push_back(cpu);
    at = end + 1;
  }
  return cpus;
}

}  // namespace

std::optional<command_line> parse_command_line(int argc, char** argv) {
  CLI::App app("Measures how long wake-ups take: timers', or a request's to its reply",
               "stallscope-wake");
  app.set_version_flag("--version", "stallscope-wake " STALLSCOPE_VERSION);
  command_line line;
  line.kind = "timer";
  double think_us = 1000;
  double duration_s = 1;
  std::string cpus;
  app.add_option("--kind", line.kind, "timer, or a request over futex, pipe, unix or tcp")
      ->check(CLI::IsMember({"timer", "futex", "pipe", "unix", "tcp"}))
      ->capture_default_str();
  app.add_option("--think-us", think_us, "Sleep before each request, or a timer's length")
      ->check(CLI::Range(0.0, 1e7))
      ->capture_default_str();
  app.add_option("--processes", line.asked.processes,
                 "2: client and server; 3: client, front end and back end")
      ->check(CLI::Range(2U, 3U))
      ->capture_default_str();
  app.add_option("--duration", duration_s, "Seconds, of which the first tenth warms up")
      ->check(CLI::Range(0.01, 86'400.0))
      ->capture_default_str();
  app.add_option("--samples", line.asked.most_samples, "End after so many; 0: --duration ends it")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 40U))
      ->capture_default_str();
  app.add_option("--cpus", cpus, "A CPU for each process in turn, as 0,2");
  app.add_option("-o,--output", line.log, "File for the histogram, which must not be there yet");
  app.add_flag("--die-with-parent", line.die_with_parent,
               "End when the process that began it does");
  app.footer(
      "Tells one JSON line. Example: stallscope-wake --kind futex --think-us 500 --cpus 0,1");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw wrong(error.what());
    app.exit(error);  // --help, --version
    return std::nullopt;
  }
  if (line.kind != "timer") line.asked.over = transport_of(line.kind);
  line.asked.think = of_us(think_us);
  line.asked.duration = of_us(duration_s * 1e6);
  if (!cpus.empty()) line.asked.cpus = cpus_of(cpus);
  return line;
}

}  // namespace stallscope::wake
