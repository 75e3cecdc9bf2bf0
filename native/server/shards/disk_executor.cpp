#include "server/shards/disk_executor.hpp"

#include <algorithm>
#include <system_error>
#include <utility>

#include "base/clock.hpp"
#include "server/commands/shard_merge.hpp"
#include "server/shards/disk_operation.hpp"
#include "server/shards/request_marks.hpp"

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
      read_check_(options.read_check),
      port_(loop, {.limit = options.limit,
                   .rates = options.rates,
                   .query_shares = options.query_shares,
                   .compaction_shares = options.compaction_shares}),
      content_(directory, shard, options.segment_bytes),
      appender_(content_, port_, loop, {.durable = options.durable}),
      compactor_(content_, appender_, port_, loop, {}),
      report_(value_log::recover(content_)),
      budget_(options.read_bytes),
      publisher_({content_, port_, appender_, compactor_}, report_) {
  compactor_.consider();
  publisher_.publish(counts_);
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
  publisher_.publish(counts_);
}

disk_executor::operation& disk_executor::take_operation() {
  if (free_.empty()) {
    all_.push_back(std::make_unique<operation>(*this));
    free_.push(*all_.back());
  }
  ++in_flight_;
  return *free_.pop();
}

void disk_executor::free(operation& op) noexcept {
  --in_flight_;
  free_.push(op);
}

void disk_executor::wake() noexcept {
  if (scheduled_) return;
  scheduled_ = true;
  loop_.schedule(*this);
}

void disk_executor::submit(disk_call& call) {
  operation& made = take_operation();
  try {
    prepare(made, call);
    if (call.what->every_shard && !made.whole) {
      made.all_held();
    } else {
      locks_.acquire(made);
    }
  } catch (...) {
    free(made);
    throw;
  }
  call.operation = &made;
  last_work_ = loop_.now();
  if (tick_armed_) return;
  tick_armed_ = true;
  loop_.arm(*this, loop_.now() + disk_tick_interval);
}

void disk_executor::cancel(disk_call& call) noexcept {
  if (call.operation == nullptr || call.what->every_shard) return;
  auto& op = static_cast<operation&>(*call.operation);
  if (op.cancelled || op.access.changes) return;
  op.cancelled = true;
  if (op.reads_left == 0) return;  // it still waits, and will read nothing
  ++op.reads_left;                 // released by read_done() below
  for (auto& key : op.keys) {
    if (key.read && !key.read->done()) port_.cancel(*key.read);
  }
  op.read_done();
}

void disk_executor::prepare(operation& op, disk_call& call) {
  op.call = &call;
  op.cancelled = false;
  op.access = access_of(*call.what, call.words);
  op.exclusive = op.access.changes;
  // Commands on all keys wait for earlier writes.
  op.whole = call.what->every_shard && !is_compaction(call);
  op.hashes.clear();
  if (call.what->every_shard) return;
  for (const std::string_view key : keys_of(*call.what, call.words)) {
    op.hashes.push_back(store::key_hash(lock_seed_, key));
  }
}

void disk_executor::run() {
  scheduled_ = false;
  // Operations that become ready meanwhile run in the next task.
  linked_fifo<operation> ready = std::exchange(ready_, {});
  while (operation* next = ready.pop()) {
    guarded(*next, [&] { begin(*next); });
  }
  continue_waiting();
  linked_fifo<disk_call> answers = std::exchange(answered_, {});
  while (disk_call* call = answers.pop()) call->disk_answered();
}

// Starts operations that waited for memory.
void disk_executor::continue_waiting() {
  while (operation* next = budget_.first()) {
    bool fits = true;
    guarded(*next, [&] {
      try {
        look_up(*next);  // again: compaction moves values
      } catch (...) {
        budget_.pop_first();
        throw;
      }
      fits = budget_.fits(*next);
      if (!fits) return;
      budget_.pop_first();
      load(*next);
    });
    if (!fits) return;
  }
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
  op.needed_bytes = 0;
  for (const std::string_view key : keys_of(*op.call->what, op.call->words)) {
    op.keys.push_back({key, content_.find(key, now_ms), nullptr});
    const auto& where = op.keys.back().where;
    if (!where || !op.access.values) continue;
    if (op.cancelled) {
      ++counts_.cancelled_reads;
    } else {
      op.needed_bytes += value_read::bytes_of(key, *where);
    }
  }
}

// Throws before the first read is submitted, or not at all.
void disk_executor::load(operation& op) {
  op.reads_left = 1;  // released by read_done() below
  for (auto& key : op.keys) {
    if (!key.where || !op.access.values || op.cancelled) continue;
    key.read = std::make_unique<value_read>(op, key.key, *key.where,
                                            content_.segments().find(key.where->segment));
    ++op.reads_left;
  }
  op.held_bytes = op.needed_bytes;
  budget_.take(op.held_bytes);
  if (op.reads_left > 1) pause_request(op.call->request_mark, "disk read");
  for (auto& key : op.keys) {
    if (key.read) key.read->submit(port_);
  }
  op.read_done();
}

bool disk_executor::index_is_full() const {
  return content_.index().memory_bytes() + content_.index().growth_bytes() > max_index_bytes_;
}

void disk_executor::loaded(operation& op) noexcept {
  guarded(op, [&] {
    if (op.cancelled) {
      op.reply_with_error("ERR the client disconnected");
    } else if (op.failed_read) {
      op.reply_with_error(op.text_of(*op.failed_read));
    } else if (op.call->what->needs_memory && index_is_full()) {
      op.reply_with_error("OOM command not allowed when used memory > 'maxmemory'.");
    } else {
      run_command(op);
    }
    append_changes(op);
  });
}

void disk_executor::run_command(operation& op) {
  const disk_call& call = *op.call;
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
  counts_.hits += op.scratch.counts().hits - before.hits;
  counts_.misses += op.scratch.counts().misses - before.misses;
  if (op.access.changes) collect_changes(op);
}

void disk_executor::append_changes(operation& op) {
  if (op.items.empty()) {
    answer(op);
    return;
  }
  pause_request(op.call->request_mark, "log");
  if (log_queue_ != nullptr) {
    log_queue_->enqueue(op);
  } else {
    appender_.append(op);
  }
}

void disk_executor::log_changes(value_log::append_request& changes) noexcept {
  auto& op = static_cast<operation&>(changes);
  guarded(op, [&] { appender_.append(op); });
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
  if (!refused && !content_.segments().all().empty()) {
    op.needs_room = false;
    op.items.push_back({.kind = value_log::record_kind::cleared});
  }
  append_changes(op);
}

void disk_executor::compact(operation& op) {
  const bool waits = op.call->what->name == "compact";
  const auto done = [this, &op](int error) {
    guarded(op, [&] {
      if (error == 0) {
        resp::reply_writer(*op.call->reply_to, op.call->version).ok();
      } else {
        op.reply_with_error("ERR compaction: " + std::generic_category().message(error));
      }
      answer(op);
    });
  };
  compactor_.compact_all(waits ? std::function<void(int)>(done) : nullptr);
  if (waits) return;
  resp::reply_writer(*op.call->reply_to, op.call->version)
      .simple("Background append only file rewriting started");
  answer(op);
}

void disk_executor::answer(operation& op) noexcept {
  ++counts_.answered;
  op.call->operation = nullptr;
  answered_.push(*op.call);
  wake();
  budget_.release(std::exchange(op.held_bytes, 0));
  if (op.call->what->every_shard) publisher_.publish_sums(loop_.now());
  const bool locked = op.whole || !op.call->what->every_shard;
  op.keys.clear();
  op.items.clear();
  op.failed_read.reset();
  op.scratch.clear();
  if (locked) locks_.release(op);
  free(op);
}

void disk_executor::fire() {
  tick_armed_ = false;
  compactor_.consider();
  publisher_.publish_sums(loop_.now());
  const bool busy = in_flight_ != 0 || compactor_.running() || !appender_.idle();
  if (!busy && publisher_.percentiles_at() >= last_work_) return;
  tick_armed_ = true;
  loop_.arm(*this, loop_.now() + disk_tick_interval);
}

}  // namespace stallscope::server
