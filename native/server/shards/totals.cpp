#include "server/shards/totals.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <cstddef>
#include <fstream>

#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {
namespace {

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
}

void add(stages::stage_counts& sum, const stages::stage_counts& more) {
  sum.calls_enqueued += more.calls_enqueued;
  sum.calls_executed += more.calls_executed;
  sum.calls_failed += more.calls_failed;
  sum.tasks_scheduled += more.tasks_scheduled;
  sum.tasks_preempted += more.tasks_preempted;
  sum.inline_flushes += more.inline_flushes;
  for (std::size_t i = 0; i < sum.batches.size(); ++i) sum.batches[i] += more.batches[i];
  for (std::size_t i = 0; i < sum.delays.size(); ++i) sum.delays[i] += more.delays[i];
}

}  // namespace

shard_totals totals_of(const shared_server& server) {
  shard_totals sum;
  std::uint64_t ttl_sum = 0;
  for (const auto& owner_shard : server.shards()) {
    const shard_counters& counts = owner_shard->counters();
    sum.requests += counts.requests.value();
    sum.errors += counts.errors.value();
    sum.bytes_read += counts.bytes_read.value();
    sum.bytes_written += counts.bytes_written.value();
    sum.connections_opened += counts.connections_opened.value();
    sum.crossed += counts.crossed.value();
    sum.throttled += counts.throttled.value();
    sum.cut_off += counts.cut_off.value();
    sum.buffered_bytes += counts.buffered_bytes.value();
    sum.keys += counts.keys.value();
    sum.volatile_keys += counts.volatile_keys.value();
    ttl_sum += counts.mean_ttl_ms.value() * counts.volatile_keys.value();
    sum.memory_bytes += counts.memory_bytes.value();
    sum.hits += counts.hits.value();
    sum.misses += counts.misses.value();
    sum.expired += counts.expired.value();
    sum.evicted += counts.evicted.value();
  }
  sum.mean_ttl_ms = sum.volatile_keys == 0 ? 0 : ttl_sum / sum.volatile_keys;
  return sum;
}

std::vector<stages::stage_counts> stages_of(const shared_server& server) {
  std::vector<stages::stage_counts> sum;
  for (const auto& owner_shard : server.shards()) {
    const std::vector<stages::stage_counts> more = owner_shard->stages().counts();
    if (sum.empty()) sum.resize(more.size());
    // All shards create the same stages in the same order.
    for (std::size_t i = 0; i < more.size(); ++i) {
      sum[i].name = more[i].name;
      add(sum[i], more[i]);
    }
  }
  return sum;
}

process_cpu cpu_of_process() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  return {seconds_of(usage.ru_utime), seconds_of(usage.ru_stime)};
}

std::uint64_t resident_bytes() {
  std::ifstream file("/proc/self/statm");
  std::uint64_t size = 0;
  std::uint64_t resident = 0;
  file >> size >> resident;
  return file ? resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE)) : 0;
}

}  // namespace stallscope::server
