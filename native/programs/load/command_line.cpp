#include "command_line.hpp"

#include <CLI/CLI.hpp>
#include <charconv>
#include <cmath>

#include "base/failure.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::load {
namespace {

constexpr double ns_per_us = 1000;
constexpr std::size_t most_value_bytes = std::size_t{64} << 20U;
constexpr std::uint64_t most_keys = 1'000'000'000'000;  // their names have twelve digits
constexpr double usual_zipf = 0.99;
constexpr std::uint64_t most_buffered_bytes = std::uint64_t{4} << 30U;

// As they are written; whole numbers and seconds become options.
struct words {
  std::string mode = "closed";
  double rate = 0;
  std::string arrivals = "poisson";
  double think_us = 0;
  double duration_s = 10;
  double warmup_s = 1;
  double spin_us = 50;
  std::string key_distribution = "uniform";
  std::string value_bytes = "64";
  std::string cpus;
};

failure wrong(const std::string& what) {
  return {exit_code::usage, what, "see stallscope-load --help"};
}

template <typename Number>
std::optional<Number> number_of(std::string_view text) {
  Number number{};
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return number;
}

void add_load(CLI::App& app, options& asked, words& said) {
  app.add_option("--target", asked.target, "HOST:PORT or unix:PATH of a RESP server")->required();
  app.add_option("--password-file", asked.password_file, "File whose first line AUTH sends");
  app.add_option("--connections", asked.connections, "Connections, of all threads together")
      ->check(CLI::Range(1U, 100'000U))
      ->capture_default_str();
  app.add_option("--threads", asked.threads, "Threads that load")
      ->check(CLI::Range(1U, 256U))
      ->capture_default_str();
  app.add_option("--pipeline", asked.when.pipeline, "Requests under way on a connection at a time")
      ->check(CLI::Range(1U, 4'096U))
      ->capture_default_str();
  app.add_option("--mode", said.mode,
                 "closed: a reply calls for the next request; open: requests come at --rate")
      ->check(CLI::IsMember({"closed", "open"}))
      ->capture_default_str();
  app.add_option("--rate", said.rate, "Requests a second of an open loop, of all together")
      ->check(CLI::Range(1e-3, 1e8));
  app.add_option("--arrivals", said.arrivals, "How requests of an open loop come")
      ->check(CLI::IsMember({"poisson", "fixed"}))
      ->capture_default_str();
  app.add_option("--think-us", said.think_us, "Closed loop: pause before a connection's next one")
      ->check(CLI::Range(0.0, 3.6e9))
      ->capture_default_str();
  app.add_option("--spin-us", said.spin_us, "Spin so long before a request is due; 0: sleep only")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
}

void add_time(CLI::App& app, options& asked, words& said) {
  app.add_option("--duration", said.duration_s, "Seconds that are measured")
      ->check(CLI::Range(0.01, 1e6))
      ->capture_default_str();
  app.add_option("--warmup", said.warmup_s, "Seconds before them, left out of all figures")
      ->check(CLI::Range(0.0, 1e6))
      ->capture_default_str();
  app.add_option("--requests", asked.when.most_requests,
                 "End after N measured requests; 0: only --duration ends it")
      ->check(CLI::Range(std::uint64_t{0}, std::uint64_t{1} << 50U))
      ->capture_default_str();
  app.add_option("--seed", asked.when.seed, "Of arrivals, keys and values")->capture_default_str();
  app.add_option("--cpus", said.cpus, "CPUs as 0-3,5: a thread each, in turn");
}

void add_mix(CLI::App& app, options& asked, words& said) {
  app.add_option("--keys", asked.what.keys, "How many keys there are")
      ->check(CLI::Range(std::uint64_t{1}, most_keys))
      ->capture_default_str();
  app.add_option("--key-distribution", said.key_distribution,
                 "uniform, zipf or zipf:S; S is 0.99 where it is not given")
      ->capture_default_str();
  app.add_option("--value-bytes", said.value_bytes, "Size of values to SET: N or MIN-MAX")
      ->capture_default_str();
  app.add_option("--read-share", asked.what.read_share, "Share of GET; the rest is SET")
      ->check(CLI::Range(0.0, 1.0))
      ->capture_default_str();
  app.add_option("--request-file", asked.what.request_file,
                 "Send the RESP requests of this file instead, over and over");
  app.add_flag("--check", asked.what.check,
               "Send ECHO of sequence numbers instead, and fail where replies are lost, doubled, "
               "out of order or another connection's");
  app.add_flag("--fill", asked.what.fill, "SET every key once before the warm-up");
}

std::uint64_t ns_of(double us) { return static_cast<std::uint64_t>(std::llround(us * ns_per_us)); }

void read_mix(const words& said, request_mix& what) {
  const std::string& keys = said.key_distribution;
  if (keys.starts_with("zipf")) {
    what.zipf = keys == "zipf" ? usual_zipf : 0;
    if (keys.size() > 5 && keys[4] == ':')
      what.zipf = number_of<double>(keys.substr(5)).value_or(0);
    if (!(*what.zipf > 0 && *what.zipf <= 20)) {
      throw wrong("--key-distribution zipf:S needs a number above 0, up to 20");
    }
  } else if (keys != "uniform") {
    throw wrong("--key-distribution is uniform, zipf or zipf:S");
  }
  const std::size_t dash = said.value_bytes.find('-');
  const auto least = number_of<std::size_t>(said.value_bytes.substr(0, dash));
  const auto most =
      dash == std::string::npos ? least : number_of<std::size_t>(said.value_bytes.substr(dash + 1));
  if (!least || !most || *least > *most || *most > most_value_bytes) {
    throw wrong("--value-bytes is a size or MIN-MAX, up to 64 MiB");
  }
  what.least_value_bytes = *least;
  what.most_value_bytes = *most;
}

void read_schedule(const words& said, schedule& when) {
  const bool open = said.mode == "open";
  if (open != (said.rate > 0)) throw wrong("--mode open and --rate belong together");
  if (open && said.think_us > 0) throw wrong("--think-us belongs to --mode closed");
  if (open) when.rate_per_s = said.rate;
  when.arrivals = said.arrivals == "fixed" ? arrival_process::fixed : arrival_process::poisson;
  when.think_ns = ns_of(said.think_us);
  when.duration_ns = ns_of(said.duration_s * 1e6);
  when.warmup_ns = ns_of(said.warmup_s * 1e6);
}

// CLI11's ranges let pass what is not a number.
void refuse_nan(const options& asked, const words& said) {
  for (const double number : {said.rate, said.think_us, said.duration_s, said.warmup_s,
                              said.spin_us, asked.what.read_share}) {
    if (std::isnan(number)) throw wrong("nan is no amount of anything");
  }
}

options checked(options asked, const words& said) {
  refuse_nan(asked, said);
  read_schedule(said, asked.when);
  read_mix(said, asked.what);
  asked.spin_ns = ns_of(said.spin_us);
  if (asked.threads > asked.connections) throw wrong("there are fewer connections than threads");
  if (asked.what.check && (!asked.what.request_file.empty() || asked.what.fill)) {
    throw wrong("--check sends its own requests: leave out --request-file and --fill");
  }
  const std::uint64_t buffered =
      std::uint64_t{asked.connections} * asked.when.pipeline * asked.what.most_value_bytes;
  if (buffered > most_buffered_bytes) {
    throw wrong("connections, pipeline and value size together could take more than 4 GiB");
  }
  try {
    if (!said.cpus.empty()) asked.cpus = perf_events::parse_cpu_list(said.cpus);
  } catch (const std::invalid_argument& error) {
    throw wrong(std::string("--cpus: ") + error.what());
  }
  return asked;
}

}  // namespace

std::optional<command_line> parse_command_line(int argc, char** argv) {
  CLI::App app("Loads a RESP server, and measures latency from when each request was due",
               "stallscope-load");
  app.set_version_flag("--version", "stallscope-load " STALLSCOPE_VERSION);
  command_line line;
  words said;
  add_load(app, line.asked, said);
  add_time(app, line.asked, said);
  add_mix(app, line.asked, said);
  app.add_flag("--die-with-parent", line.die_with_parent,
               "End when the process that began it does");
  app.add_option("-o,--output", line.asked.directory,
                 "Directory for intended.hlog, service.hlog, lag.hlog and load.json");
  app.footer(
      "Prints a JSON line per second and one at the end.\n"
      "Example: stallscope-load --target 127.0.0.1:6379 --mode open --rate 20000 --duration 10");
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() != 0) throw wrong(error.what());
    app.exit(error);  // --help, --version
    return std::nullopt;
  }
  line.asked = checked(line.asked, said);
  return line;
}

}  // namespace stallscope::load
