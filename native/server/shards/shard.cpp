#include "server/shards/shard.hpp"

#include <algorithm>
#include <cstdio>
#include <exception>
#include <utility>

#include "base/clock.hpp"
#include "server/paths/codec_path.hpp"
#include "server/paths/query_path.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {
namespace {

using namespace std::chrono_literals;

constexpr auto tick_interval = 100ms;
constexpr auto report_interval = 1s;
constexpr std::size_t min_connection_capacity = 16;
constexpr std::size_t own_tasks = 64;  // stages, mailbox, disk; fewer in fact
constexpr std::size_t keys_per_sweep = 64;
constexpr int max_sweeps_per_tick = 64;
// for clients that do not read their replies or do not disconnect
constexpr auto shutdown_grace = 5s;

std::int64_t unix_ms() { return static_cast<std::int64_t>(realtime_ns() / 1'000'000); }

// Null: commands only.
std::unique_ptr<path> make_path(const server_options& options) {
  switch (options.path) {
    case path_kind::query:
      return make_query_path();
    case path_kind::codec:
      return make_codec_path({.footprint_kb = options.footprint_kb, .stage_kb = options.stage_kb});
    case path_kind::kv:
    case path_kind::disk:
      break;
  }
  return nullptr;
}

store::memory_limit share_of(const server_options& options) {
  store::memory_limit share = options.memory;
  share.bytes /= options.cpus.size();
  return share;
}

std::unique_ptr<disk_executor> make_disk(reactor::reactor& loop, const shared_server& server,
                                         std::size_t index) {
  if (server.data() == nullptr) return nullptr;
  const server_options& options = server.options();
  return std::make_unique<disk_executor>(loop, *server.data(), static_cast<std::uint32_t>(index),
                                         part_of_shard(options.disk, index, options.cpus.size()),
                                         share_of(options).bytes);
}

}  // namespace

shard::shard(shared_server& server, std::size_t index)
    : server_(server),
      options_(server.options()),
      index_(index),
      loop_({.task_quota = options_.task_quota, .clock = nullptr}),
      keys_(store::random_seed()),
      disk_(make_disk(loop_, server, index)),
      inputs_(options_.limits.buffered_bytes),
      outputs_(options_.limits.output_bytes),
      mailbox_(server.mailboxes(), *this, index, loop_, *this),
      log_(std::make_unique<stages::batch_log>(options_.log_batches.empty() ? 1 : 1U << 18U)),
      registry_(loop_, options_.stage, options_.log_batches.empty() ? nullptr : log_.get()),
      executor_(*this, make_path(options_), options_.stages ? &registry_ : nullptr) {
  keys_.set_limit(share_of(options_));
  start_turn();
  loop_.at_turn_start(turn_start_);
  loop_.at_turn_end(turn_end_);
}

shard::~shard() = default;

void shard::adopt(descriptor socket, const session& start) {
  if (done_) {
    server_.leave();
    return;
  }
  try {
    reserve_connection();
    auto client = std::make_unique<connection>(*this, std::move(socket), start);
    client->place = connections_.size();
    connections_.push_back(std::move(client));
  } catch (const std::exception& error) {  // out of memory, or epoll_ctl failed
    report_lost_client(error.what());
    server_.clients().remove(start.id);
    server_.leave();
    return;
  }
  if (shutting_down_) connections_.back()->begin_shutdown();
}

void shard::report_lost_client(const char* reason) noexcept {
  const auto now = loop_.now();
  if (reported_at_.count() != 0 && now - reported_at_ < report_interval) return;
  reported_at_ = now;
  std::fprintf(stderr, "stallscope-server: closed a client: %s\n", reason);
}

// Reserves room for another client in all lists, so that none grows when a client has output or
// ends.
void shard::reserve_connection() {
  if (connections_.size() < connections_.capacity()) return;
  const std::size_t capacity = std::max(min_connection_capacity, 2 * connections_.size());
  for (auto* list : {&dirty_, &ended_, &flushing_}) list->reserve(capacity);
  connections_.reserve(capacity);
  loop_.reserve_tasks(capacity + own_tasks);
}

bool shard::account(std::size_t from, std::size_t to) {
  const std::uint64_t held = counters_.buffered_bytes.value() + to - from;
  counters_.buffered_bytes.set(held);
  return held <= options_.limits.buffered_bytes;
}

void shard::cut_off_largest() {
  connection* largest = nullptr;
  for (const auto& client : connections_) {
    const bool larger =
        largest == nullptr || client->accounted_bytes() > largest->accounted_bytes();
    if (larger) largest = client.get();
  }
  if (largest == nullptr || largest->accounted_bytes() == 0) return;
  largest->cut_off();
}

// All replies of a turn use the same time.
void shard::start_turn() { keys_.advance(unix_ms()); }

void shard::end_turn() {
  // Flushing may resume requests and mark a client again, for the next turn.
  flushing_.swap(dirty_);
  for (connection* client : flushing_) {
    client->in_dirty = false;
    client->flush();
  }
  flushing_.clear();
  mailbox_.end_turn();
  if (!ended_.empty()) remove_ended();
  publish();
  arm_tick();
  if (shutting_down_) end_if_done();
}

void shard::remove_ended() {
  const auto remove = [&](connection* client) {
    if (!client->removable()) return false;
    const std::size_t place = client->place;
    connections_[place].swap(connections_.back());
    connections_[place]->place = place;
    connections_.pop_back();
    return true;
  };
  std::erase_if(ended_, remove);
}

void shard::publish() {
  if (disk_) {
    disk_->end_turn();
    counters_.keys.set(disk_->counters().keys.value());
    counters_.memory_bytes.set(disk_->counters().index_bytes.value());
    counters_.hits.set(disk_->counters().hits.value());
    counters_.misses.set(disk_->counters().misses.value());
    return;
  }
  counters_.keys.set(keys_.size());
  counters_.volatile_keys.set(keys_.volatile_size());
  counters_.mean_ttl_ms.set(static_cast<std::uint64_t>(keys_.mean_ttl_ms()));
  counters_.memory_bytes.set(keys_.memory_bytes());
  const store::keyspace_counts& counts = keys_.counts();
  counters_.hits.set(counts.hits);
  counters_.misses.set(counts.misses);
  counters_.expired.set(counts.expired);
  counters_.evicted.set(counts.evicted);
}

// An idle shard without expiring keys needs no tick.
void shard::arm_tick() {
  if (tick_armed_) return;
  const bool needed =
      shutting_down_ || keys_.volatile_size() != 0 || counters_.buffered_bytes.value() != 0;
  if (!needed) return;
  tick_armed_ = true;
  loop_.arm(*this, loop_.now() + tick_interval);
}

void shard::fire() {
  tick_armed_ = false;
  sweep_keys();
  const bool close_all = shutting_down_ && loop_.now() >= close_all_at_;
  // From the end: closing does not change the list, but adopting appends to it.
  for (std::size_t i = connections_.size(); i-- != 0;) {
    if (close_all) {
      connections_[i]->close();
    } else {
      connections_[i]->check_stalled(options_.limits.stalled);
    }
  }
}

void shard::sweep_keys() {
  int sweeps = 0;
  while (keys_.sweep(keys_per_sweep) * 4 >= keys_per_sweep && ++sweeps < max_sweeps_per_tick) {
  }
}

void shard::mailbox_drained() {
  if (server_.all_done()) loop_.stop();
  if (!server_.shutting_down() || shutting_down_) return;
  shutting_down_ = true;
  if (disk_) disk_->begin_shutdown();
  close_all_at_ = loop_.now() + shutdown_grace;
  for (std::size_t i = connections_.size(); i-- != 0;) connections_[i]->begin_shutdown();
}

void shard::end_if_done() {
  if (!connections_.empty() || done_) return;
  done_ = true;
  server_.shard_is_done();
}

}  // namespace stallscope::server
