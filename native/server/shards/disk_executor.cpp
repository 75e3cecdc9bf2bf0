#include "server/shards/disk_executor.hpp"

#include <algorithm>
#include <cerrno>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "server/commands/shard_merge.hpp"
#include "server/shards/disk_operation.hpp"

namespace stallscope::server {
namespace {

constexpr std::chrono::nanoseconds disk_tick_interval = std::chrono::milliseconds{100};

std::int64_t unix_now_ms() { return static_cast<std::int64_t>(realtime_ns() / 1'000'000); }

bool is_compaction(const disk_call& call) {
  return call.what->name == "compact" || call.what->name == "bgrewriteaof";
}

std::string random_text() {
  const store::hash_seed seed = store::random_seed();
  return {reinterpret_cast<const char*>(seed.data()), sizeof seed};
}

}  // namespace

disk_executor::disk_executor(reactor::reactor& loop, const value_log::data_directory& directory,
                             std::uint32_t shard, const disk_options& options,
                             std::size_t max_index_bytes)
    : loop_(loop),
      max_index_bytes_(max_index_bytes),
      lock_seed_(store::random_seed()),
      absent_value_(random_text()),
      port_(loop, {.limit = options.limit,
                   .query_shares = options.query_shares,
                   .compaction_shares = options.compaction_shares}),
      content_(directory, shard, options.segment_bytes),
      appender_(content_, port_, loop, {.durable = options.durable}),
      compactor_(content_, appender_, port_, loop, {}),
      report_(value_log::recover(content_)),
      budget_(options.read_bytes),
      publisher_({content_, port_, appender_, compactor_}, report_) {
  compactor_.consider();
  publisher_.publish(lookups_);
  publisher_.publish_sums(loop_.now());
}

disk_executor::~disk_executor() { end(); }

void disk_executor::end() {
  if (std::exchange(ended_, true)) return;
  compactor_.stop();
  port_.drain();
  appender_.end();
  compactor_.end();
  if (tick_armed_) loop_.disarm(*this);
}

void disk_executor::end_turn() {
  compactor_.next_turn();
  publisher_.publish(lookups_);
}

disk_executor::operation& disk_executor::take_operation() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<operation>(*this));
    return *all_.back();
  }
  operation& taken = *free_.back();
  free_.pop_back();
  return taken;
}

void disk_executor::wake() {
  if (scheduled_) return;
  scheduled_ = true;
  loop_.schedule(*this);
}

void disk_executor::submit(disk_call& call) {
  operation& made = take_operation();
  made.call = &call;
  made.access = access_of(*call.what, call.words);
  made.hashes.clear();
  made.whole = false;
  last_work_ = loop_.now();
  if (!tick_armed_) {
    tick_armed_ = true;
    loop_.arm(*this, loop_.now() + disk_tick_interval);
  }
  if (call.what->every_shard) {
    // Commands on all keys wait for earlier writes.
    made.whole = !is_compaction(call);
    if (!made.whole) {
      made.all_held();
      return;
    }
  }
  for (const std::string_view key : keys_of(*call.what, call.words)) {
    made.hashes.push_back(store::key_hash(lock_seed_, key));
  }
  made.exclusive = made.access.changes;
  locks_.acquire(made);
}

void disk_executor::run() {
  scheduled_ = false;
  for (std::size_t left = ready_.size(); left != 0; --left) {
    operation& next = *ready_.front();
    ready_.pop_front();
    begin(next);
  }
  while (operation* next = budget_.next()) {
    look_up(*next);  // again: compaction moves values
    if (!budget_.fits(*next)) break;
    budget_.pop_next();
    load(*next);
  }
  std::vector<disk_call*> answers;
  answers.swap(answered_);
  for (disk_call* call : answers) call->disk_answered();
}

void disk_executor::begin(operation& op) {
  if (!op.call->what->every_shard) {
    look_up(op);
    if (budget_.admit(op)) {
      load(op);
    } else {
      budget_.wait(op);
    }
  } else if (is_compaction(*op.call)) {
    compact(op);
  } else if (op.call->what->name == "dbsize") {
    resp::reply_writer(*op.call->reply_to, op.call->version)
        .integer(static_cast<std::int64_t>(content_.index().size()));
    answer(op);
  } else {
    flush_all(op);
  }
}

void disk_executor::look_up(operation& op) {
  const std::int64_t now_ms = unix_now_ms();
  op.keys.clear();
  op.memory_bytes = 0;
  for (const std::string_view key : keys_of(*op.call->what, op.call->words)) {
    op.keys.push_back({key, content_.find(key, now_ms), nullptr});
    const auto& where = op.keys.back().where;
    if (where && op.access.values) op.memory_bytes += value_read::bytes_of(key, *where);
  }
}

void disk_executor::load(operation& op) {
  budget_.take(op.memory_bytes);
  op.reads_left = 1;  // released by read_done() below
  for (auto& key : op.keys) {
    if (!key.where || !op.access.values) continue;
    key.read = std::make_unique<value_read>(op, key.key, *key.where,
                                            content_.segments().find(key.where->segment));
    ++op.reads_left;
  }
  for (auto& key : op.keys) {
    if (key.read) key.read->submit(port_);
  }
  op.read_done();
}

bool disk_executor::index_is_full() const {
  return content_.index().memory_bytes() + content_.index().growth_bytes() > max_index_bytes_;
}

void disk_executor::loaded(operation& op) {
  disk_call& call = *op.call;
  if (!op.read_error.empty()) {
    op.refuse(op.read_error);
    answer(op);
    return;
  }
  if (call.what->needs_memory && index_is_full()) {
    op.refuse("OOM command not allowed when used memory > 'maxmemory'.");
    answer(op);
    return;
  }
  op.scratch.advance(unix_now_ms());
  for (const auto& key : op.keys) {
    if (!key.where) continue;
    op.scratch.set(key.key, key.read ? key.read->value() : absent_value_);
    if (key.where->expires_ms != 0) op.scratch.expire_at(key.key, key.where->expires_ms);
  }
  const store::keyspace_counts before = op.scratch.counts();
  execution on{.keys = &op.scratch};
  resp::reply_writer to(*call.reply_to, call.version);
  server::run(*call.what, on, call.words, to);
  lookups_.hits += op.scratch.counts().hits - before.hits;
  lookups_.misses += op.scratch.counts().misses - before.misses;
  if (op.access.changes) collect_changes(op);
  if (op.items.empty()) {
    answer(op);
  } else {
    appender_.append(op);
  }
}

void disk_executor::collect_changes(operation& op) {
  op.needs_room = false;
  for (const auto& key : op.keys) {
    const auto after = op.scratch.get(key.key);
    if (!after) {
      if (key.where) op.items.push_back({.kind = value_log::record_kind::deleted, .key = key.key});
      continue;
    }
    const std::int64_t expires_ms = op.scratch.expiry_ms(key.key).value_or(0);
    const bool as_before = key.where && key.where->expires_ms == expires_ms &&
                           *after == (key.read ? key.read->value() : absent_value_);
    if (as_before) continue;
    op.needs_room = true;
    op.items.push_back({.kind = value_log::record_kind::value,
                        .key = key.key,
                        .value = *after,
                        .expires_ms = expires_ms});
  }
}

void disk_executor::flush_all(operation& op) {
  execution on{.keys = &op.scratch};
  resp::reply_writer to(*op.call->reply_to, op.call->version);
  server::run(*op.call->what, on, op.call->words, to);
  const bool refused = op.call->reply_to->view().starts_with('-');
  if (refused || content_.segments().all().empty()) {
    answer(op);
    return;
  }
  op.needs_room = false;
  op.items.push_back({.kind = value_log::record_kind::cleared});
  appender_.append(op);
}

void disk_executor::compact(operation& op) {
  const bool waits = op.call->what->name == "compact";
  const auto done = [this, &op](int error) {
    if (error == 0) {
      resp::reply_writer(*op.call->reply_to, op.call->version).ok();
    } else {
      op.refuse("ERR compaction: " + std::error_code(error, std::generic_category()).message());
    }
    answer(op);
  };
  compactor_.compact_all(waits ? std::function<void(int)>(done) : nullptr);
  if (waits) return;
  resp::reply_writer(*op.call->reply_to, op.call->version)
      .simple("Background append only file rewriting started");
  answer(op);
}

void disk_executor::answer(operation& op) {
  answered_.push_back(op.call);
  wake();
  budget_.release(op.memory_bytes);
  op.memory_bytes = 0;
  if (op.call->what->every_shard) publisher_.publish_sums(loop_.now());
  const bool locked = op.whole || !op.call->what->every_shard;
  op.keys.clear();
  op.items.clear();
  op.read_error.clear();
  op.scratch.clear();
  if (locked) locks_.release(op);
  free_.push_back(&op);
}

void disk_executor::fire() {
  tick_armed_ = false;
  compactor_.consider();
  publisher_.publish_sums(loop_.now());
  const bool busy = all_.size() != free_.size() || compactor_.running() || !appender_.idle();
  if (!busy && publisher_.percentiles_at() >= last_work_) return;
  tick_armed_ = true;
  loop_.arm(*this, loop_.now() + disk_tick_interval);
}

}  // namespace stallscope::server
