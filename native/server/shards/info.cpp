#include "server/shards/info.hpp"

#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <limits>

#include "server/shards/disk_totals.hpp"
#include "server/shards/shared_server.hpp"
#include "server/shards/totals.hpp"

namespace stallscope::server {
namespace {

// Client libraries read the redis version to learn which commands exist.
constexpr std::string_view redis_compatible_version = "7.0.15";

void line(std::string& text, std::string_view name, std::string_view value) {
  text.append(name).append(":").append(value).append("\r\n");
}
void line(std::string& text, std::string_view name, std::uint64_t value) {
  line(text, name, std::to_string(value));
}
void seconds_line(std::string& text, std::string_view name, double value) {
  std::array<char, 40> digits{};
  const int length = std::snprintf(digits.data(), digits.size(), "%.6f", value);
  line(text, name, std::string_view(digits.data(), static_cast<std::size_t>(length)));
}

std::string_view name_of(path_kind path) {
  static constexpr std::array<std::string_view, 4> names{"kv", "query", "codec", "disk"};
  return names[static_cast<std::size_t>(path)];
}

std::uint64_t limit_bytes(const server_options& options) {
  const std::size_t bytes = options.memory.bytes;
  return bytes == std::numeric_limits<std::size_t>::max() ? 0 : bytes;
}

void add_server(std::string& text, const shared_server& server) {
  const auto up = std::chrono::duration_cast<std::chrono::seconds>(
      std::chrono::steady_clock::now() - server.started());
  line(text, "redis_version", redis_compatible_version);
  line(text, "redis_mode", "standalone");
  line(text, "server_name", "stallscope-server");
  line(text, "stallscope_version", STALLSCOPE_VERSION);
  line(text, "process_id", static_cast<std::uint64_t>(::getpid()));
  line(text, "tcp_port", server.port());
  line(text, "uptime_in_seconds", static_cast<std::uint64_t>(up.count()));
  line(text, "io_threads_active", server.options().cpus.size());
  line(text, "path", name_of(server.options().path));
  line(text, "stages", server.options().stages ? "on" : "off");
  line(text, "write", server.options().write == write_policy::eager ? "eager" : "deferred");
}

void add_clients(std::string& text, const shared_server& server) {
  const shard_totals sum = totals_of(server);
  line(text, "connected_clients", server.connected());
  line(text, "maxclients", server.options().limits.clients);
  line(text, "client_buffered_bytes", sum.buffered_bytes);
  line(text, "client_throttled_total", sum.throttled);
  line(text, "client_cut_off_total", sum.cut_off);
}

void add_memory(std::string& text, const shared_server& server) {
  const shard_totals sum = totals_of(server);
  line(text, "used_memory", sum.memory_bytes + sum.buffered_bytes);
  line(text, "used_memory_dataset", sum.memory_bytes);
  line(text, "used_memory_rss", resident_bytes());
  line(text, "maxmemory", limit_bytes(server.options()));
  line(text, "maxmemory_policy", store::name_of(server.options().memory.policy));
}

void add_stats(std::string& text, const shared_server& server) {
  const shard_totals sum = totals_of(server);
  line(text, "total_connections_received", sum.connections_opened);
  line(text, "total_commands_processed", sum.requests);
  line(text, "total_net_input_bytes", sum.bytes_read);
  line(text, "total_net_output_bytes", sum.bytes_written);
  line(text, "rejected_connections", server.rejected());
  line(text, "expired_keys", sum.expired);
  line(text, "evicted_keys", sum.evicted);
  line(text, "keyspace_hits", sum.hits);
  line(text, "keyspace_misses", sum.misses);
  line(text, "total_error_replies", sum.errors);
  line(text, "total_cross_shard_parts", sum.crossed);
}

void add_cpu(std::string& text, const shared_server& server) {
  const process_cpu cpu = cpu_of_process();
  seconds_line(text, "used_cpu_sys", cpu.system_s);
  seconds_line(text, "used_cpu_user", cpu.user_s);
  const std::uint64_t requests = totals_of(server).requests;
  // Undefined before the first request.
  if (requests != 0) {
    seconds_line(text, "used_cpu_us_per_request",
                 (cpu.system_s + cpu.user_s) * 1e6 / static_cast<double>(requests));
  }
}

void add_keyspace(std::string& text, const shared_server& server) {
  const shard_totals sum = totals_of(server);
  if (sum.keys == 0) return;
  line(text, "db0",
       "keys=" + std::to_string(sum.keys) + ",expires=" + std::to_string(sum.volatile_keys) +
           ",avg_ttl=" + std::to_string(sum.mean_ttl_ms));
}

void add_stages(std::string& text, const shared_server& server) {
  for (const stages::stage_counts& stage : stages_of(server)) {
    line(text, "stage_" + stage.name,
         "enqueued=" + std::to_string(stage.calls_enqueued) +
             ",executed=" + std::to_string(stage.calls_executed) +
             ",scheduled=" + std::to_string(stage.tasks_scheduled) +
             ",batches=" + std::to_string(stage.batches_run()) +
             ",preempted=" + std::to_string(stage.tasks_preempted) +
             ",batch_p50=" + std::to_string(stage.batch_percentile(0.5)) +
             ",delay_p99_us=" + std::to_string(stage.delay_percentile_ns(0.99) / 1000));
  }
}

void add_disk(std::string& text, const shared_server& server) {
  const disk_options& disk = server.options().disk;
  line(text, "disk_directory", server.data()->temporary() ? "" : server.data()->path());
  line(text, "disk_sync", disk.durable ? "each-batch" : "none");
  line(text, "disk_limit", disk.limit == 0 ? "none" : std::to_string(disk.limit));
  line(text, "disk_shares",
       "queries=" + std::to_string(disk.query_shares) +
           ",compaction=" + std::to_string(disk.compaction_shares));
  for (const disk_number& number : disk_numbers()) {
    line(text, "disk_" + std::string(number.name), total_of(server, number));
  }
  for (std::size_t i = 0; i < value_log::io_class_names.size(); ++i) {
    std::string numbers;
    for (const disk_class_number& number : disk_class_numbers()) {
      if (!numbers.empty()) numbers += ",";
      numbers.append(number.name).append("=");
      numbers += std::to_string(total_of(server, number, i));
    }
    line(text, "disk_class_" + std::string(value_log::io_class_names[i]), numbers);
  }
}

struct section {
  std::string_view name;  // as in the request, in lower case
  std::string_view title;
  void (*add)(std::string& text, const shared_server& server);
};

constexpr std::array<section, 8> all_sections{{{"server", "Server", add_server},
                                               {"clients", "Clients", add_clients},
                                               {"memory", "Memory", add_memory},
                                               {"stats", "Stats", add_stats},
                                               {"cpu", "CPU", add_cpu},
                                               {"keyspace", "Keyspace", add_keyspace},
                                               {"stages", "Stages", add_stages},
                                               {"disk", "Disk", add_disk}}};

bool same_word(std::string_view word, std::string_view lower) {
  return std::ranges::equal(word, lower, [](char left, char right) {
    return (left >= 'A' && left <= 'Z' ? static_cast<char>(left + 32) : left) == right;
  });
}

bool is_selected(const section& candidate, std::span<const std::string_view> sections) {
  return sections.empty() || std::ranges::any_of(sections, [&](std::string_view word) {
           return same_word(word, candidate.name) || same_word(word, "all") ||
                  same_word(word, "default") || same_word(word, "everything");
         });
}

}  // namespace

std::string info_text(const shared_server& server, std::span<const std::string_view> sections) {
  std::string text;
  for (const section& entry : all_sections) {
    if (!is_selected(entry, sections)) continue;
    if (entry.add == add_disk && server.data() == nullptr) continue;
    if (!text.empty()) text += "\r\n";
    text.append("# ").append(entry.title).append("\r\n");
    entry.add(text, server);
  }
  return text;
}

std::vector<std::pair<std::string, std::string>> settings_of(const shared_server& server) {
  const server_options& options = server.options();
  return {{"appendonly", "no"},
          {"bind", options.bind},
          {"databases", "1"},
          {"io-threads", std::to_string(options.cpus.size())},
          {"maxclients", std::to_string(options.limits.clients)},
          {"maxmemory", std::to_string(limit_bytes(options))},
          {"maxmemory-policy", std::string(store::name_of(options.memory.policy))},
          {"port", std::to_string(server.port())},
          {"proto-max-bulk-len", std::to_string(options.limits.request_bytes)},
          {"save", ""},
          {"timeout", "0"},
          {"unixsocket", options.unix_path}};
}

}  // namespace stallscope::server
