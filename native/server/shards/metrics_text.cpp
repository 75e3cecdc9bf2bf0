#include "server/shards/metrics_text.hpp"

#include <array>
#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <span>
#include <string_view>
#include <vector>

#include "server/shards/disk_totals.hpp"
#include "server/shards/shared_server.hpp"
#include "server/shards/totals.hpp"

namespace stallscope::server {
namespace {

using stages::stage_counts;

std::string number(double value) {
  std::array<char, 40> digits{};
  const int length = std::snprintf(digits.data(), digits.size(), "%.9g", value);
  return {digits.data(), static_cast<std::size_t>(length)};
}

class metrics_writer {
 public:
  // Starts a family of samples.
  void family(std::string_view name, std::string_view type, std::string_view help) {
    name_ = "stallscope_" + std::string(name);
    text_ += "# HELP " + name_ + " ";
    text_.append(help).append("\n# TYPE ").append(name_).append(" ").append(type).append("\n");
  }
  void value(const std::string& value) { sample("", "", value); }
  void sample(std::string_view ending, std::string_view labels, const std::string& value) {
    text_.append(name_).append(ending);
    if (!labels.empty()) text_.append("{").append(labels).append("}");
    text_.append(" ").append(value).append("\n");
  }
  std::string take() { return std::move(text_); }

 private:
  std::string name_;
  std::string text_;
};

void add_counter(metrics_writer& to, std::string_view name, std::string_view help,
                 std::uint64_t count) {
  to.family(name, "counter", help);
  to.value(std::to_string(count));
}

void add_gauge(metrics_writer& to, std::string_view name, std::string_view help,
               std::uint64_t level) {
  to.family(name, "gauge", help);
  to.value(std::to_string(level));
}

void add_requests(metrics_writer& to, const shared_server& server) {
  const shard_totals sum = totals_of(server);
  add_counter(to, "requests_total", "Requests read.", sum.requests);
  add_counter(to, "errors_total", "Error replies.", sum.errors);
  add_counter(to, "connections_total", "Connections accepted.", sum.connections_opened);
  add_counter(to, "connections_rejected_total", "Connections rejected.", server.rejected());
  add_counter(to, "connections_cut_off_total",
              "Connections closed for exceeding a buffer limit or stalling.", sum.cut_off);
  add_counter(to, "connections_throttled_total",
              "Times that reading from a slow client was paused.", sum.throttled);
  add_gauge(to, "connections", "Open connections.", server.connected());
  add_counter(to, "read_bytes_total", "Bytes read from clients.", sum.bytes_read);
  add_counter(to, "written_bytes_total", "Bytes written to clients.", sum.bytes_written);
  add_gauge(to, "buffered_bytes", "Memory of client buffers.", sum.buffered_bytes);
  add_counter(to, "cross_shard_parts_total", "Parts of requests sent to other shards.",
              sum.crossed);
}

void add_keys(metrics_writer& to, const shared_server& server) {
  const shard_totals sum = totals_of(server);
  add_gauge(to, "keys", "Number of keys.", sum.keys);
  add_gauge(to, "keyspace_bytes", "Memory of keys and values.", sum.memory_bytes);
  add_counter(to, "keyspace_hits_total", "Lookups of existing keys.", sum.hits);
  add_counter(to, "keyspace_misses_total", "Lookups of missing keys.", sum.misses);
  add_counter(to, "expired_keys_total", "Expired keys.", sum.expired);
  add_counter(to, "evicted_keys_total", "Keys evicted because of the memory limit.", sum.evicted);
}

void add_process(metrics_writer& to, const shared_server& server) {
  const process_cpu cpu = cpu_of_process();
  to.family("process_cpu_seconds_total", "counter", "CPU time of the process.");
  to.value(number(cpu.user_s + cpu.system_s));
  const std::uint64_t requests = totals_of(server).requests;
  // Undefined before the first request.
  if (requests == 0) return;
  to.family("process_cpu_seconds_per_request", "gauge",
            "CPU time of the process divided by the number of requests.");
  to.value(number((cpu.user_s + cpu.system_s) / static_cast<double>(requests)));
}

struct stage_counter {
  std::string_view name;
  std::string_view help;
  std::uint64_t stage_counts::*count;
};

constexpr std::array<stage_counter, 6> stage_counters{{
    {"stage_calls_enqueued_total", "Calls queued.", &stage_counts::calls_enqueued},
    {"stage_calls_executed_total", "Calls run.", &stage_counts::calls_executed},
    {"stage_calls_failed_total", "Calls run that threw.", &stage_counts::calls_failed},
    {"stage_tasks_scheduled_total", "Tasks scheduled.", &stage_counts::tasks_scheduled},
    {"stage_tasks_preempted_total", "Tasks that used up their quota.",
     &stage_counts::tasks_preempted},
    {"stage_inline_flushes_total", "Inline flushes of a full queue.",
     &stage_counts::inline_flushes},
}};

std::string stage_label(const stage_counts& stage) { return "stage=\"" + stage.name + "\""; }

// Writes buckets with the upper bounds 2^(i+first) - 1 units, the last unbounded. Returns the total
// count.
std::uint64_t add_buckets(metrics_writer& to, const stage_counts& stage,
                          std::span<const std::uint64_t> buckets, unsigned first, double unit) {
  std::uint64_t below = 0;
  for (std::size_t i = 0; i < buckets.size(); ++i) {
    below += buckets[i];
    const std::uint64_t end = (std::uint64_t{1} << (i + first)) - 1;
    const bool last = i + 1 == buckets.size();
    const std::string limit = last ? "+Inf" : number(static_cast<double>(end) * unit);
    to.sample("_bucket", stage_label(stage) + ",le=\"" + limit + "\"", std::to_string(below));
  }
  to.sample("_count", stage_label(stage), std::to_string(below));
  return below;
}

void add_stage_samples(metrics_writer& to, const shared_server& server) {
  const std::vector<stage_counts> all = stages_of(server);
  if (all.empty()) return;
  for (const stage_counter& counter : stage_counters) {
    to.family(counter.name, "counter", counter.help);
    for (const auto& stage : all) {
      to.sample("", stage_label(stage), std::to_string(stage.*counter.count));
    }
  }
  to.family("stage_batch_size", "histogram", "Calls per batch.");
  for (const auto& stage : all) {
    add_buckets(to, stage, stage.batches, 1, 1.0);
    to.sample("_sum", stage_label(stage), std::to_string(stage.calls_executed));
  }
  // There is no _sum: only the buckets are kept.
  to.family("stage_queue_delay_seconds", "histogram", "Time in the queue of the stage.");
  for (const auto& stage : all) add_buckets(to, stage, stage.delays, 0, 1e-9);
}

// Times stay in ns, as in INFO.
void add_disk_samples(metrics_writer& to, const shared_server& server) {
  const auto family = [&](std::string_view name, number_kind kind, std::string_view help) {
    const bool counter = kind == number_kind::counter;
    to.family("disk_" + std::string(name) + (counter ? "_total" : ""),
              counter ? "counter" : "gauge", help);
  };
  for (const disk_number& number : disk_numbers()) {
    family(number.name, number.kind, number.help);
    to.value(std::to_string(total_of(server, number)));
  }
  for (const disk_class_number& number : disk_class_numbers()) {
    family("class_" + std::string(number.name), number.kind, number.help);
    for (std::size_t i = 0; i < value_log::io_class_names.size(); ++i) {
      to.sample("", "class=\"" + std::string(value_log::io_class_names[i]) + "\"",
                std::to_string(total_of(server, number, i)));
    }
  }
}

}  // namespace

std::string metrics_text(const shared_server& server) {
  metrics_writer to;
  add_requests(to, server);
  add_keys(to, server);
  add_process(to, server);
  add_stage_samples(to, server);
  if (server.data() != nullptr) add_disk_samples(to, server);
  return to.take();
}

}  // namespace stallscope::server
