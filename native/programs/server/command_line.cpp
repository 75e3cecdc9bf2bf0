#include "command_line.hpp"

#include <sched.h>

#include <CLI/CLI.hpp>
#include <charconv>
#include <iostream>

#include "perf_events/cpu_list.hpp"
#include "server/shards/listening.hpp"
#include "server/shards/password_file.hpp"

namespace stallscope::server {
namespace {

// As given, before it is checked.
struct words {
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
  std::string disk_limit = "8";
  std::string disk_shares = "queries=1000,compaction=100";
};

constexpr const char* footer =
    "Examples:\n"
    "  stallscope-server --port 0 --path codec --stages off\n"
    "  stallscope-server --path query --make-requests 10000 -o requests.resp\n"
    "  stallscope-server --unix /run/user/1000/stallscope.sock --cpus 2,3\n"
    "  stallscope-server --bind 0.0.0.0 --password-file ~/.stallscope-password";

void add_listening(CLI::App& app, server_options& options, words& given) {
  app.add_option("--bind", options.bind, "address to listen on; beyond loopback a password is due")
      ->capture_default_str();
  app.add_option("--port", given.port, "TCP port; 0: any that is free; -1: none")
      ->check(CLI::Range(-1, 65535))
      ->capture_default_str();
  app.add_option("--unix", options.unix_path, "path of a unix socket, for this user alone");
  app.add_option("--password-file", given.password_file,
                 "file of mode 600 with the password that clients have to say");
  app.add_option("--metrics-port", given.metrics_port,
                 "loopback port for Prometheus text over HTTP; 0: any")
      ->check(CLI::Range(0, 65535));
}

void add_work(CLI::App& app, server_options& options, words& given) {
  app.add_option("--threads", given.threads,
                 "shards, one pinned thread each (1, or as --cpus says)")
      ->check(CLI::Range(1, 256));
  app.add_option("--cpus", given.cpus, "CPUs to pin the threads to, as 0-3,8");
  app.add_option("--path", given.path, "what a request runs through")
      ->check(CLI::IsMember({"kv", "query", "codec", "disk"}))
      ->capture_default_str();
  app.add_option("--stages", given.stages, "run the path's steps as stages, in batches")
      ->check(CLI::IsMember({"on", "off"}))
      ->capture_default_str();
  app.add_option("--max-batch", options.stage.max_batch, "calls of a stage that run together")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--task-quota-us", given.task_quota_us, "a stage's turn, in microseconds")
      ->check(CLI::Range(1, 1'000'000))
      ->capture_default_str();
  app.add_option("--write", given.write, "send replies once a turn of the loop, or each at once")
      ->check(CLI::IsMember({"deferred", "eager"}))
      ->capture_default_str();
  app.add_option("--footprint-kb", options.footprint_kb, "generated code of the codec path")
      ->capture_default_str();
  app.add_option("--stage-kb", options.stage_kb, "generated code of each of its stages")
      ->capture_default_str();
  app.add_option("--log-batches", options.log_batches, "file to write every batch to, at the end");
}

void add_limits(CLI::App& app, server_options& options, words& given) {
  client_limits& limits = options.limits;
  app.add_option("--maxmemory", given.maxmemory, "bytes for keys and values; 0: no limit")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  app.add_option("--maxmemory-policy", given.policy, "what goes when they are used")
      ->check([](const std::string& name) {
        return store::eviction_policy_of(name) ? std::string{} : "no policy is named " + name;
      })
      ->capture_default_str();
  app.add_option("--maxclients", limits.clients, "connections at once")
      ->check(CLI::Range(1, 10'000'000))
      ->capture_default_str();
  app.add_option("--max-request-bytes", limits.request_bytes, "of one request")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::size_t{1024}, std::size_t{512} << 20U))
      ->capture_default_str();
  app.add_option("--max-pipeline", limits.pipeline, "requests of a client under way at once")
      ->check(CLI::Range(1, 1 << 20))
      ->capture_default_str();
  app.add_option("--max-output-bytes", limits.output_bytes, "of a client's replies not yet sent")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::size_t{1024}, std::size_t{1} << 40U))
      ->capture_default_str();
  app.add_option("--max-buffered-bytes", limits.buffered_bytes, "in all clients' buffers, a thread")
      ->transform(CLI::AsSizeValue(false))
      ->capture_default_str();
  app.add_option("--stalled-s", given.stalled_s, "closes a client that takes no reply for so long")
      ->check(CLI::Range(1, 86'400))
      ->capture_default_str();
}

void add_disk(CLI::App& app, server_options& options, words& given) {
  app.add_option("--data", options.disk.directory,
                 "directory of the path disk; without it values go at the end");
  app.add_option("--sync", given.sync,
                 "each-batch: writes are answered when they outlive a loss of power")
      ->check(CLI::IsMember({"none", "each-batch"}))
      ->capture_default_str();
  app.add_option("--disk-limit", given.disk_limit, "requests on the disk at once; or none")
      ->capture_default_str();
  app.add_option("--disk-shares", given.disk_shares, "of queries and compaction, where both wait")
      ->capture_default_str();
  app.add_option("--segment-bytes", options.disk.segment_bytes, "of one file of the log")
      ->transform(CLI::AsSizeValue(false))
      ->check(CLI::Range(std::size_t{1} << 20U, std::size_t{1} << 30U))
      ->capture_default_str();
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

// The first --threads of the CPUs, in turn where there are fewer of those.
std::vector<int> choose_cpus(const words& given) {
  std::vector<int> cpus;
  try {
    cpus = given.cpus.empty() ? allowed_cpus() : perf_events::parse_cpu_list(given.cpus);
  } catch (const std::invalid_argument& error) {
    throw usage_error(std::string("--cpus: ") + error.what());
  }
  if (cpus.empty()) throw usage_error("--cpus: no CPU is left: give a list as 0-3,8");
  std::size_t wanted = given.threads;
  if (wanted == 0) wanted = given.cpus.empty() ? 1 : cpus.size();
  std::vector<int> chosen;
  for (std::size_t i = 0; i < wanted; ++i) chosen.push_back(cpus[i % cpus.size()]);
  return chosen;
}

std::uint64_t whole_number(const std::string& option, std::string_view text, std::uint64_t most) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc{} || end != text.data() + text.size() || number == 0 || number > most) {
    throw usage_error(option + ": '" + std::string(text) + "' is not a number from 1 to " +
                      std::to_string(most));
  }
  return number;
}

void check_shares(const std::string& text, disk_options& disk) {
  constexpr std::uint64_t most_shares = 1'000'000;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find(',', at), text.size());
    const std::string_view part = std::string_view(text).substr(at, end - at);
    const std::size_t equals = part.find('=');
    const std::string_view name = part.substr(0, equals);
    if (equals == std::string_view::npos || (name != "queries" && name != "compaction")) {
      throw usage_error("--disk-shares: '" + std::string(part) +
                        "' is not understood: give them as queries=1000,compaction=100");
    }
    const auto shares = static_cast<std::uint32_t>(
        whole_number("--disk-shares", part.substr(equals + 1), most_shares));
    (name == "queries" ? disk.query_shares : disk.compaction_shares) = shares;
    at = end + 1;
  }
}

void check_disk(const words& given, server_options& options) {
  disk_options& disk = options.disk;
  disk.durable = given.sync == "each-batch";
  disk.limit =
      given.disk_limit == "none" ? 0 : whole_number("--disk-limit", given.disk_limit, 1024);
  check_shares(given.disk_shares, disk);
  if (options.path != path_kind::disk && !disk.directory.empty()) {
    throw usage_error("--data keeps the values of --path disk: give that as well");
  }
  if (options.path == path_kind::disk && given.policy != "noeviction") {
    throw usage_error("--maxmemory-policy " + given.policy +
                      ": values on a disk are not evicted; --maxmemory bounds their index");
  }
}

void check(const words& given, server_options& options) {
  options.cpus = choose_cpus(given);
  options.tcp = given.port >= 0;
  options.port = static_cast<std::uint16_t>(std::max(given.port, 0));
  if (given.metrics_port >= 0) options.metrics_port = given.metrics_port;
  options.path = given.path == "kv"      ? path_kind::kv
                 : given.path == "query" ? path_kind::query
                 : given.path == "disk"  ? path_kind::disk
                                         : path_kind::codec;
  check_disk(given, options);
  options.stages = given.stages == "on";
  options.write = given.write == "eager" ? write_policy::eager : write_policy::deferred;
  options.task_quota = std::chrono::microseconds{given.task_quota_us};
  options.limits.stalled = std::chrono::seconds{given.stalled_s};
  if (given.maxmemory != 0) options.memory.bytes = given.maxmemory;
  options.memory.policy = *store::eviction_policy_of(given.policy);
  if (!given.password_file.empty()) options.password = read_password_file(given.password_file);
  if (!options.tcp && options.unix_path.empty()) {
    throw usage_error("nothing to listen on: leave --port away, or give --unix PATH");
  }
  if (options.tcp && !is_loopback(options.bind) && options.password.empty()) {
    throw usage_error("--bind " + options.bind +
                      " is reached from other machines: give --password-file as well");
  }
}

}  // namespace

std::optional<parsed_command_line> parse_command_line(int argc, const char* const* argv) {
  CLI::App app{"stallscope's reference server: RESP over TCP and unix sockets, a thread per core"};
  app.set_version_flag("--version", "stallscope-server " STALLSCOPE_VERSION);
  app.footer(footer);
  parsed_command_line parsed;
  words given;
  add_listening(app, parsed.options, given);
  add_work(app, parsed.options, given);
  add_limits(app, parsed.options, given);
  add_disk(app, parsed.options, given);
  add_offline_options(app, parsed.offline);
  app.add_flag("--die-with-parent", parsed.die_with_parent, "end when the starting process ends");
  try {
    app.parse(argc, argv);
    check(given, parsed.options);
  } catch (const CLI::Success& asked) {
    app.exit(asked, std::cout, std::cerr);
    return std::nullopt;
  } catch (const CLI::ParseError& error) {
    throw usage_error(error.what());
  } catch (const std::invalid_argument& error) {
    throw usage_error(error.what());
  }
  return parsed;
}

}  // namespace stallscope::server
