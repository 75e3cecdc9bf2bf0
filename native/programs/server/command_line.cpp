#include "command_line.hpp"

#include <sched.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <utility>

#include "base/command_line.hpp"
#include "perf_events/cpu_list.hpp"
#include "server/shards/listening.hpp"
#include "server/shards/password_file.hpp"

namespace stallscope::server {
namespace {

failure usage_failure(const std::string& message) {
  return {exit_code::usage, message, "see stallscope-server --help"};
}

// Option texts before validation.
struct option_texts {
  std::string cpus;
  unsigned threads = 0;
  int port = 7379;
  int metrics_port = -1;
  int task_quota_us = 500;
  std::string path = "kv";
  std::string stages = "on";
  std::string write = "deferred";
  std::string policy = "noeviction";
  std::string password_file;
  std::size_t maxmemory = 0;
  int stalled_s = 60;
  std::string sync = "none";
  std::string verify_reads = "on";
  std::string disk_limit;
  std::string disk_rates;
  std::string disk_shares = "queries=1000,compaction=100";
};

constexpr const char* footer =
    "Examples:\n"
    "  stallscope-server --port 0 --path codec --stages off\n"
    "  stallscope-server --path query --make-requests 10000 -o requests.resp\n"
    "  stallscope-server --unix /run/user/1000/stallscope.sock --cpus 2,3\n"
    "  stallscope-server --bind 0.0.0.0 --password-file ~/.stallscope-password";

void add_listening(cli::command& app, server_options& options, option_texts& texts) {
  app.add_option("--bind", options.bind,
                 "Listen address; non-loopback addresses require a password")
      .capture_default_str();
  app.add_option("--port", texts.port, "TCP port; 0: any free port; -1: no TCP")
      .check(cli::range(-1, 65535))
      .capture_default_str();
  app.add_option("--unix", options.unix_path, "Path of a unix socket with mode 0600");
  app.add_option("--password-file", texts.password_file,
                 "File of mode 600 that contains the password for clients");
  app.add_option("--metrics-port", texts.metrics_port,
                 "Loopback port for Prometheus metrics over HTTP; 0: any free port")
      .check(cli::range(0, 65535));
}

void add_work(cli::command& app, server_options& options, option_texts& texts) {
  app.add_option("--threads", texts.threads,
                 "Number of shards, one pinned thread each; default: 1, or the number of --cpus")
      .check(cli::range(1, 256));
  app.add_option("--cpus", texts.cpus, "CPUs for the threads, for example 0-3,8");
  app.add_option("--path", texts.path, "Code that a request runs through")
      .check(cli::one_of({"kv", "query", "codec", "disk"}))
      .capture_default_str();
  app.add_option("--stages", texts.stages, "Run the steps of the path as stages, in batches")
      .check(cli::one_of({"on", "off"}))
      .capture_default_str();
  app.add_option("--max-batch", options.stage.max_batch,
                 "Maximum number of calls per batch of a stage")
      .check(cli::range(1, 1 << 20))
      .capture_default_str();
  app.add_option("--task-quota-us", texts.task_quota_us, "Time quota of a task, in microseconds")
      .check(cli::range(1, 1'000'000))
      .capture_default_str();
  app.add_option("--write", texts.write,
                 "Send replies once per turn of the loop (deferred) or immediately (eager)")
      .check(cli::one_of({"deferred", "eager"}))
      .capture_default_str();
  app.add_option("--footprint-kb", options.footprint_kb, "Generated code of the codec path, in KB")
      .capture_default_str();
  app.add_option("--stage-kb", options.stage_kb,
                 "Generated code per stage of the codec path, in KB")
      .capture_default_str();
  app.add_option("--log-batches", options.log_batches, "File to write all batches to, at the end");
}

void add_limits(cli::command& app, server_options& options, option_texts& texts) {
  client_limits& limits = options.limits;
  app.add_option("--maxmemory", texts.maxmemory,
                 "Memory for keys and values, in bytes; 0: no limit")
      .transform(cli::size_in_bytes())
      .capture_default_str();
  app.add_option("--maxmemory-policy", texts.policy, "Eviction policy when --maxmemory is reached")
      .check([](const std::string& name) {
        return store::eviction_policy_of(name) ? std::string{} : "unknown policy " + name;
      })
      .capture_default_str();
  app.add_option("--maxclients", limits.clients, "Maximum number of connections")
      .check(cli::range(1, 10'000'000))
      .capture_default_str();
  app.add_option("--max-request-bytes", limits.request_bytes, "Maximum size of a request")
      .transform(cli::size_in_bytes())
      .check(cli::range(std::size_t{1024}, std::size_t{512} << 20U))
      .capture_default_str();
  app.add_option("--max-pipeline", limits.pipeline,
                 "Maximum number of requests in flight per client")
      .check(cli::range(1, 1 << 20))
      .capture_default_str();
  app.add_option("--max-output-bytes", limits.output_bytes,
                 "Maximum size of unsent replies per client")
      .transform(cli::size_in_bytes())
      .check(cli::range(std::size_t{1024}, std::size_t{1} << 40U))
      .capture_default_str();
  app.add_option("--max-buffered-bytes", limits.buffered_bytes,
                 "Maximum size of all client buffers, per thread")
      .transform(cli::size_in_bytes())
      .capture_default_str();
  app.add_option("--stalled-s", texts.stalled_s,
                 "Close a client that reads no reply for this time, in seconds")
      .check(cli::range(1, 86'400))
      .capture_default_str();
}

void add_disk(cli::command& app, server_options& options, option_texts& texts) {
  app.add_option("--data", options.disk.directory,
                 "Directory for --path disk; default: temporary files");
  app.add_option("--sync", texts.sync, "each-batch: acknowledge writes after they are durable")
      .check(cli::one_of({"none", "each-batch"}))
      .capture_default_str();
  app.add_option(
         "--verify-reads", texts.verify_reads,
         "Verify the checksum of every record that a request reads; recovery and compaction "
         "always verify")
      .check(cli::one_of({"on", "off"}))
      .capture_default_str();
  app.add_option("--disk-limit", texts.disk_limit,
                 "Requests in flight on the disk, of all threads together, or none for no limit; "
                 "default: 8, or the number of threads if it is larger");
  app.add_option("--disk-rates", texts.disk_rates,
                 "Rates of the disk that set the cost of a request: read_iops=N,read_bandwidth=N,"
                 "write_iops=N,write_bandwidth=N, bandwidths in bytes per second. Default: every "
                 "request costs the same");
  app.add_option("--disk-shares", texts.disk_shares,
                 "Disk shares of queries and compaction while both are waiting")
      .capture_default_str();
  app.add_option("--segment-bytes", options.disk.segment_bytes, "Size of a segment of the log")
      .transform(cli::size_in_bytes())
      .check(cli::range(std::size_t{1} << 20U, std::size_t{1} << 30U))
      .capture_default_str();
}

std::vector<int> allowed_cpus() {
  cpu_set_t set;
  CPU_ZERO(&set);
  std::vector<int> cpus;
  if (::sched_getaffinity(0, sizeof set, &set) != 0) return cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE; ++cpu) {
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

// Assigns --threads threads to the CPUs, round-robin.
std::vector<int> choose_cpus(const option_texts& texts) {
  std::vector<int> cpus;
  try {
    cpus = texts.cpus.empty() ? allowed_cpus() : perf_events::parse_cpu_list(texts.cpus);
  } catch (const std::invalid_argument& error) {
    throw usage_failure(std::string("--cpus: ") + error.what());
  }
  if (cpus.empty()) throw usage_failure("--cpus: no CPU is available: use a list such as 0-3,8");
  std::size_t count = texts.threads;
  if (count == 0) count = texts.cpus.empty() ? 1 : cpus.size();
  std::vector<int> chosen;
  for (std::size_t i = 0; i < count; ++i) chosen.push_back(cpus[i % cpus.size()]);
  return chosen;
}

std::uint64_t whole_number(const std::string& option, std::string_view text,
                           std::uint64_t max_value) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0 ||
      number > max_value) {
    throw usage_failure(option + ": '" + std::string(text) + "' is not a number from 1 to " +
                        std::to_string(max_value));
  }
  return number;
}

// Calls `take` with every name and number of "name=number,...".
template <typename Take>
void for_each_pair(const std::string& option, const std::string& text, std::uint64_t max_value,
                   const std::string& example, const Take& take) {
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = std::string_view(text).substr(at, end - at);
    const std::size_t equals = part.find('=');
    const bool is_valid = equals != std::string_view::npos && take(part.substr(0, equals), [&] {
                            return whole_number(option, part.substr(equals + 1), max_value);
                          });
    if (!is_valid) {
      std::string message = option + ": '";
      message.append(part).append("' is invalid: use the form ").append(example);
      throw usage_failure(message);
    }
    at = end + 1;
  }
}

void check_shares(const std::string& text, disk_options& disk) {
  constexpr std::uint64_t max_shares = 1'000'000;
  for_each_pair("--disk-shares", text, max_shares, "queries=1000,compaction=100",
                [&](std::string_view name, const auto& number) {
                  if (name != "queries" && name != "compaction") return false;
                  (name == "queries" ? disk.query_shares : disk.compaction_shares) =
                      static_cast<std::uint32_t>(number());
                  return true;
                });
}

void check_rates(const std::string& text, disk_options& disk) {
  constexpr std::uint64_t max_rate = 1'000'000'000'000'000;
  if (text.empty()) return;
  ioqueue::device_rates rates;
  const std::array<std::pair<std::string_view, double*>, 4> fields{
      {{"read_iops", &rates.read_iops},
       {"read_bandwidth", &rates.read_bytes_per_s},
       {"write_iops", &rates.write_iops},
       {"write_bandwidth", &rates.write_bytes_per_s}}};
  for_each_pair(
      "--disk-rates", text, max_rate, "read_iops=N,read_bandwidth=N,write_iops=N,write_bandwidth=N",
      [&](std::string_view name, const auto& number) {
        const auto* rate = std::ranges::find(fields, name, &decltype(fields)::value_type::first);
        if (rate == fields.end()) return false;
        *rate->second = static_cast<double>(number());
        return true;
      });
  try {
    (void)ioqueue::cost_from_rates(rates);
  } catch (const std::invalid_argument& error) {
    throw usage_failure(std::string("--disk-rates: ") + error.what());
  }
  disk.rates = rates;
}

// Every thread has a queue, which needs at least one request of the limit.
void check_limit(const std::string& text, std::size_t threads, disk_options& disk) {
  if (text.empty()) {
    disk.limit = std::max<std::uint64_t>(disk.limit, threads);
  } else {
    disk.limit = text == "none" ? 0 : whole_number("--disk-limit", text, 1024);
  }
  if (disk.limit != 0 && disk.limit < threads) {
    throw usage_failure("--disk-limit " + text + ": each of the " + std::to_string(threads) +
                        " threads needs at least 1: use --disk-limit " + std::to_string(threads) +
                        " or fewer --threads");
  }
}

void check_disk(const option_texts& texts, server_options& options) {
  disk_options& disk = options.disk;
  disk.durable = texts.sync == "each-batch";
  if (texts.verify_reads == "off") disk.read_check = value_log::checksum_check::skip;
  check_limit(texts.disk_limit, options.path == path_kind::disk ? options.cpus.size() : 1, disk);
  check_shares(texts.disk_shares, disk);
  check_rates(texts.disk_rates, disk);
  if (options.path != path_kind::disk && !disk.directory.empty()) {
    throw usage_failure("--data requires --path disk");
  }
  if (options.path == path_kind::disk && texts.policy != "noeviction") {
    throw usage_failure("--maxmemory-policy " + texts.policy +
                        ": --path disk does not evict values; --maxmemory limits the index");
  }
}

void check(const option_texts& texts, server_options& options) {
  options.cpus = choose_cpus(texts);
  options.tcp = texts.port >= 0;
  options.port = static_cast<std::uint16_t>(std::max(texts.port, 0));
  if (texts.metrics_port >= 0) options.metrics_port = texts.metrics_port;
  options.path = texts.path == "kv"      ? path_kind::kv
                 : texts.path == "query" ? path_kind::query
                 : texts.path == "disk"  ? path_kind::disk
                                         : path_kind::codec;
  check_disk(texts, options);
  options.stages = texts.stages == "on";
  options.write = texts.write == "eager" ? write_policy::eager : write_policy::deferred;
  options.task_quota = std::chrono::microseconds{texts.task_quota_us};
  options.limits.stalled = std::chrono::seconds{texts.stalled_s};
  if (texts.maxmemory != 0) options.memory.bytes = texts.maxmemory;
  options.memory.policy = *store::eviction_policy_of(texts.policy);
  if (!texts.password_file.empty()) options.password = read_password_file(texts.password_file);
  if (!options.tcp && options.unix_path.empty()) {
    throw usage_failure("no address to listen on: omit --port -1 or add --unix PATH");
  }
  if (options.tcp && !is_loopback(options.bind) && options.password.empty()) {
    throw usage_failure("--bind " + options.bind +
                        " is reachable from other machines: add --password-file");
  }
}

}  // namespace

std::optional<parsed_command_line> parse_command_line(int argc, char** argv) {
  cli::parser app{
      "Reference server of stallscope: RESP over TCP and unix sockets, one thread per core",
      "stallscope-server"};
  app.set_version_flag("--version", "stallscope-server " STALLSCOPE_VERSION);
  app.footer(footer);
  parsed_command_line parsed;
  option_texts texts;
  add_listening(app, parsed.options, texts);
  add_work(app, parsed.options, texts);
  add_limits(app, parsed.options, texts);
  add_disk(app, parsed.options, texts);
  add_offline_options(app, parsed.offline);
  add_die_with_parent(app, parsed.die_with_parent);
  if (!stallscope::parse_arguments(app, argc, argv)) return std::nullopt;
  check(texts, parsed.options);
  return parsed;
}

}  // namespace stallscope::server
