#include "command_line.hpp"

#include <charconv>
#include <cmath>

#include "base/command_line.hpp"
#include "base/failure.hpp"
#include "perf_events/cpu_list.hpp"

namespace stallscope::load {
namespace {

constexpr double ns_per_us = 1000;
constexpr std::size_t max_value_bytes = std::size_t{64} << 20U;
constexpr std::uint64_t max_keys = 1'000'000'000'000;  // key names have twelve digits
constexpr double default_zipf = 0.99;
constexpr std::uint64_t max_buffered_bytes = std::uint64_t{4} << 30U;

// Option texts before conversion.
struct option_texts {
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

void add_load(cli::command& app, options& settings, option_texts& texts) {
  app.add_option("--target", settings.target, "Address of the RESP server: HOST:PORT or unix:PATH")
      .required();
  app.add_option("--password-file", settings.password_file,
                 "File whose first line is the password for AUTH");
  app.add_option("--connections", settings.connections, "Number of connections, over all threads")
      .check(cli::range(1U, 100'000U))
      .capture_default_str();
  app.add_option("--threads", settings.threads, "Number of load threads")
      .check(cli::range(1U, 256U))
      .capture_default_str();
  app.add_option("--pipeline", settings.when.pipeline, "Requests in flight per connection")
      .check(cli::range(1U, 4'096U))
      .capture_default_str();
  app.add_option("--mode", texts.mode,
                 "closed: a reply triggers the next request; open: requests arrive at --rate")
      .check(cli::one_of({"closed", "open"}))
      .capture_default_str();
  app.add_option("--rate", texts.rate, "Open loop: requests per second, over all connections")
      .check(cli::range(1e-3, 1e8));
  app.add_option("--arrivals", texts.arrivals, "Open loop: arrival process")
      .check(cli::one_of({"poisson", "fixed"}))
      .capture_default_str();
  app.add_option("--think-us", texts.think_us,
                 "Closed loop: pause between a reply and the next request, in microseconds")
      .check(cli::range(0.0, 3.6e9))
      .capture_default_str();
  app.add_option("--spin-us", texts.spin_us,
                 "Busy-wait before a due time, in microseconds; 0: sleep only")
      .check(cli::range(0.0, 1e6))
      .capture_default_str();
}

void add_time(cli::command& app, options& settings, option_texts& texts) {
  app.add_option("--duration", texts.duration_s, "Measured time, in seconds")
      .check(cli::range(0.01, 1e6))
      .capture_default_str();
  app.add_option("--warmup", texts.warmup_s, "Warm-up before the measured time, in seconds")
      .check(cli::range(0.0, 1e6))
      .capture_default_str();
  app.add_option("--requests", settings.when.max_requests,
                 "End after this number of measured requests; 0: no limit")
      .check(cli::range(std::uint64_t{0}, std::uint64_t{1} << 50U))
      .capture_default_str();
  app.add_option("--seed", settings.when.seed, "Random seed of arrivals, keys and values")
      .capture_default_str();
  app.add_option("--cpus", texts.cpus, "CPUs for the threads, round-robin, for example 0-3,5");
}

void add_mix(cli::command& app, options& settings, option_texts& texts) {
  app.add_option("--keys", settings.what.keys, "Number of keys")
      .check(cli::range(std::uint64_t{1}, max_keys))
      .capture_default_str();
  app.add_option("--key-distribution", texts.key_distribution,
                 "uniform, zipf or zipf:S; the default of S is 0.99")
      .capture_default_str();
  app.add_option("--value-bytes", texts.value_bytes, "Size of SET values in bytes: N or MIN-MAX")
      .capture_default_str();
  app.add_option("--read-share", settings.what.read_share,
                 "Share of GET requests, 0 to 1; the rest is SET")
      .check(cli::range(0.0, 1.0))
      .capture_default_str();
  app.add_option("--request-file", settings.what.request_file,
                 "Send the RESP requests of this file in a loop instead");
  app.add_flag("--check", settings.what.check,
               "Send ECHO of sequence numbers instead; fail if replies are lost, duplicated, "
               "out of order or from another connection");
  app.add_flag("--fill", settings.what.fill, "SET every key once before the warm-up");
}

std::uint64_t ns_of(double us) { return static_cast<std::uint64_t>(std::llround(us * ns_per_us)); }

void read_mix(const option_texts& texts, request_mix& what) {
  const std::string& keys = texts.key_distribution;
  if (keys.starts_with("zipf")) {
    what.zipf = keys == "zipf" ? default_zipf : 0;
    if (keys.size() > 5 && keys[4] == ':')
      what.zipf = number_of<double>(keys.substr(5)).value_or(0);
    if (!(*what.zipf > 0 && *what.zipf <= 20)) {
      throw wrong("--key-distribution zipf:S: S must be above 0 and at most 20");
    }
  } else if (keys != "uniform") {
    throw wrong("--key-distribution must be uniform, zipf or zipf:S");
  }
  const std::size_t dash = texts.value_bytes.find('-');
  const auto smallest = number_of<std::size_t>(texts.value_bytes.substr(0, dash));
  const auto largest = dash == std::string::npos
                           ? smallest
                           : number_of<std::size_t>(texts.value_bytes.substr(dash + 1));
  if (!smallest || !largest || *smallest > *largest || *largest > max_value_bytes) {
    throw wrong("--value-bytes must be a size or MIN-MAX, at most 64 MiB");
  }
  what.min_value_bytes = *smallest;
  what.max_value_bytes = *largest;
}

void read_schedule(const option_texts& texts, schedule& when) {
  const bool open = texts.mode == "open";
  if (open != (texts.rate > 0)) throw wrong("--mode open and --rate require each other");
  if (open && texts.think_us > 0) throw wrong("--think-us requires --mode closed");
  if (open) when.rate_per_s = texts.rate;
  when.arrivals = texts.arrivals == "fixed" ? arrival_process::fixed : arrival_process::poisson;
  when.think_ns = ns_of(texts.think_us);
  when.duration_ns = ns_of(texts.duration_s * 1e6);
  when.warmup_ns = ns_of(texts.warmup_s * 1e6);
}

// cli::range accepts NaN.
void refuse_nan(const options& settings, const option_texts& texts) {
  for (const double number : {texts.rate, texts.think_us, texts.duration_s, texts.warmup_s,
                              texts.spin_us, settings.what.read_share}) {
    if (std::isnan(number)) throw wrong("expected a number, got NaN");
  }
}

options checked(options settings, const option_texts& texts) {
  refuse_nan(settings, texts);
  read_schedule(texts, settings.when);
  read_mix(texts, settings.what);
  settings.spin_ns = ns_of(texts.spin_us);
  if (settings.threads > settings.connections)
    throw wrong("--connections must be at smallest --threads");
  if (settings.what.check && (!settings.what.request_file.empty() || settings.what.fill)) {
    throw wrong("--check cannot be combined with --request-file or --fill");
  }
  const std::uint64_t buffered =
      std::uint64_t{settings.connections} * settings.when.pipeline * settings.what.max_value_bytes;
  if (buffered > max_buffered_bytes) {
    throw wrong("connections, pipeline and value size together could need more than 4 GiB");
  }
  try {
    if (!texts.cpus.empty()) settings.cpus = perf_events::parse_cpu_list(texts.cpus);
  } catch (const std::invalid_argument& error) {
    throw wrong(std::string("--cpus: ") + error.what());
  }
  return settings;
}

}  // namespace

std::optional<command_line> parse_command_line(int argc, char** argv) {
  cli::parser app("Load a RESP server and measure latency from the due time of each request",
                  "stallscope-load");
  app.set_version_flag("--version", "stallscope-load " STALLSCOPE_VERSION);
  command_line line;
  option_texts texts;
  add_load(app, line.settings, texts);
  add_time(app, line.settings, texts);
  add_mix(app, line.settings, texts);
  add_die_with_parent(app, line.die_with_parent);
  add_phases(app, line.settings.phases_fd);
  app.add_option("-o,--output", line.settings.directory,
                 "Output directory for intended.hlog, service.hlog, lag.hlog and load.json");
  app.footer(
      "Prints one JSON line per second and one at the end.\n"
      "Example: stallscope-load --target 127.0.0.1:6379 --mode open --rate 20000 --duration 10");
  if (!stallscope::parse_arguments(app, argc, argv)) return std::nullopt;
  line.settings = checked(line.settings, texts);
  return line;
}

}  // namespace stallscope::load
