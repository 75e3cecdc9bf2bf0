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

constexpr std::chrono::nanoseconds disk_beat = std::chrono::milliseconds{100};

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
                             std::size_t most_index_bytes)
    : loop_(loop),
      options_(options),
      most_index_bytes_(most_index_bytes),
      lock_seed_(store::random_seed()),
      absent_value_(random_text()),
      port_(loop, {.limit = options.limit,
                   .query_shares = options.query_shares,
                   .compaction_shares = options.compaction_shares}),
      content_(directory, shard, options.segment_bytes),
      appender_(content_, port_, loop, {.durable = options.durable}),
      compactor_(content_, appender_, port_, loop, {}),
      report_(value_log::recover(content_)) {
  counters_.recovered_records.set(report_.records);
  counters_.cut_bytes.set(report_.cut_bytes);
  counters_.damaged_bytes.set(report_.damaged_bytes);
  compactor_.consider();
  publish();
  publish_sums();
}

disk_executor::~disk_executor() { end(); }

void disk_executor::end() {
  if (std::exchange(ended_, true)) return;
  compactor_.stop();
  port_.drain();
  appender_.end();
  compactor_.end();
  if (beating_) loop_.disarm(*this);
}

void disk_executor::end_turn() {
  compactor_.next_turn();
  publish();
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
  if (!beating_) {
    beating_ = true;
    loop_.arm(*this, loop_.now() + disk_beat);
  }
  if (call.what->every_shard) {
    // What counts or ends all keys waits for the writes before it.
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
  while (!for_memory_.empty()) {
    operation& next = *for_memory_.front();
    look_up(next);  // anew: compaction moves values
    if (!has_memory(next)) break;
    for_memory_.pop_front();
    load(next);
  }
  std::vector<disk_call*> answers;
  answers.swap(answered_);
  for (disk_call* one : answers) one->disk_answered();
}

void disk_executor::begin(operation& one) {
  if (!one.call->what->every_shard) {
    look_up(one);
    // None passes those that wait, or a long value would wait for ever beside short ones.
    if (one.memory_bytes != 0 && (!for_memory_.empty() || !has_memory(one))) {
      for_memory_.push_back(&one);
    } else {
      load(one);
    }
  } else if (is_compaction(*one.call)) {
    compact(one);
  } else if (one.call->what->name == "dbsize") {
    resp::reply_writer(*one.call->reply_to, one.call->version)
        .integer(static_cast<std::int64_t>(content_.index().size()));
    answer(one);
  } else {
    flush_all(one);
  }
}

bool disk_executor::has_memory(const operation& one) const {
  return bytes_being_read_ == 0 || bytes_being_read_ + one.memory_bytes <= options_.read_bytes;
}

void disk_executor::look_up(operation& one) {
  const std::int64_t now_ms = unix_now_ms();
  one.keys.clear();
  one.memory_bytes = 0;
  for (const std::string_view key : keys_of(*one.call->what, one.call->words)) {
    one.keys.push_back({key, content_.find(key, now_ms), nullptr});
    const auto& where = one.keys.back().where;
    if (where && one.access.values) one.memory_bytes += value_read::bytes_of(key, *where);
  }
}

void disk_executor::load(operation& one) {
  bytes_being_read_ += one.memory_bytes;
  one.reads_left = 1;  // so that the last one comes below
  for (auto& key : one.keys) {
    if (!key.where || !one.access.values) continue;
    key.read = std::make_unique<value_read>(one, key.key, *key.where,
                                            content_.segments().find(key.where->segment));
    ++one.reads_left;
  }
  for (auto& key : one.keys) {
    if (key.read) key.read->submit(port_);
  }
  one.read_done();
}

bool disk_executor::index_is_full() const {
  return content_.index().memory_bytes() + content_.index().growth_bytes() > most_index_bytes_;
}

void disk_executor::loaded(operation& one) {
  disk_call& call = *one.call;
  if (!one.failed.empty()) {
    one.refuse(one.failed);
    answer(one);
    return;
  }
  if (call.what->needs_memory && index_is_full()) {
    one.refuse("OOM command not allowed when used memory > 'maxmemory'.");
    answer(one);
    return;
  }
  one.scratch.advance(unix_now_ms());
  for (const auto& key : one.keys) {
    if (!key.where) continue;
    one.scratch.set(key.key, key.read ? key.read->value() : absent_value_);
    if (key.where->expires_ms != 0) one.scratch.expire_at(key.key, key.where->expires_ms);
  }
  const store::keyspace_counts before = one.scratch.counts();
  execution on{.keys = &one.scratch};
  resp::reply_writer to(*call.reply_to, call.version);
  server::run(*call.what, on, call.words, to);
  hits_ += one.scratch.counts().hits - before.hits;
  misses_ += one.scratch.counts().misses - before.misses;
  if (one.access.changes) collect_changes(one);
  if (one.items.empty()) {
    answer(one);
  } else {
    appender_.append(one);
  }
}

void disk_executor::collect_changes(operation& one) {
  one.needs_room = false;
  for (const auto& key : one.keys) {
    const auto after = one.scratch.get(key.key);
    if (!after) {
      if (key.where) one.items.push_back({.kind = value_log::record_kind::deleted, .key = key.key});
      continue;
    }
    const std::int64_t expires_ms = one.scratch.expiry_ms(key.key).value_or(0);
    const bool as_before = key.where && key.where->expires_ms == expires_ms &&
                           *after == (key.read ? key.read->value() : absent_value_);
    if (as_before) continue;
    one.needs_room = true;
    one.items.push_back({.kind = value_log::record_kind::value,
                         .key = key.key,
                         .value = *after,
                         .expires_ms = expires_ms});
  }
}

void disk_executor::flush_all(operation& one) {
  execution on{.keys = &one.scratch};
  resp::reply_writer to(*one.call->reply_to, one.call->version);
  server::run(*one.call->what, on, one.call->words, to);
  const bool refused = one.call->reply_to->view().starts_with('-');
  if (refused || content_.segments().all().empty()) {
    answer(one);
    return;
  }
  one.needs_room = false;
  one.items.push_back({.kind = value_log::record_kind::cleared});
  appender_.append(one);
}

void disk_executor::compact(operation& one) {
  const bool waits = one.call->what->name == "compact";
  const auto done = [this, &one](int error) {
    if (error == 0) {
      resp::reply_writer(*one.call->reply_to, one.call->version).ok();
    } else {
      one.refuse("ERR compaction: " + std::error_code(error, std::generic_category()).message());
    }
    answer(one);
  };
  compactor_.compact_all(waits ? std::function<void(int)>(done) : nullptr);
  if (waits) return;
  resp::reply_writer(*one.call->reply_to, one.call->version)
      .simple("Background append only file rewriting started");
  answer(one);
}

void disk_executor::answer(operation& one) {
  answered_.push_back(one.call);
  wake();
  bytes_being_read_ -= one.memory_bytes;
  one.memory_bytes = 0;
  if (one.call->what->every_shard) publish_sums();
  const bool locked = one.whole || !one.call->what->every_shard;
  one.keys.clear();
  one.items.clear();
  one.failed.clear();
  one.scratch.clear();
  if (locked) locks_.release(one);
  free_.push_back(&one);
}

void disk_executor::fire() {
  beating_ = false;
  compactor_.consider();
  publish_sums();
  const bool busy = all_.size() != free_.size() || compactor_.running() || !appender_.idle();
  if (!busy && percentiles_at_ >= last_work_) return;
  beating_ = true;
  loop_.arm(*this, loop_.now() + disk_beat);
}

}  // namespace stallscope::server
