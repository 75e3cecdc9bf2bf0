// Runs commands on keys whose values lie on the disk, for one shard. Each gets in line for its
// keys; then their values are read, where the command looks at them; then the ordinary command runs
// over a keyspace that holds nothing but these keys; and what it changed is appended to the log. So
// a command answers here what it answers in memory, and a write is answered when it is written.
//
// Commands on different keys overtake each other; those on one key do not. Memory: the index, what
// is being read (bounded; what would go beyond waits), two batches, compaction's buffers. One
// thread, the shard's.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "reactor/reactor.hpp"
#include "server/commands/command.hpp"
#include "server/shards/disk_counters.hpp"
#include "server/shards/disk_options.hpp"
#include "value_log/appender.hpp"
#include "value_log/compactor.hpp"
#include "value_log/disk_port.hpp"
#include "value_log/key_locks.hpp"
#include "value_log/log_content.hpp"
#include "value_log/recovery.hpp"

namespace stallscope::server {

// A command that is under way; it stays in place, with its words, until it is answered.
class disk_call {
 public:
  const command* what = nullptr;
  request_words words;
  resp::byte_buffer* reply_to = nullptr;
  resp::protocol version = resp::protocol::resp2;

  virtual void disk_answered() = 0;  // never from within submit()

 protected:
  ~disk_call() = default;
};

class disk_executor final : private reactor::task, private reactor::timer {
 public:
  // Reads the shard's segments; throws as recover() does.
  disk_executor(reactor::reactor& loop, const value_log::data_directory& directory,
                std::uint32_t shard, const disk_options& options, std::size_t max_index_bytes);
  ~disk_executor();
  disk_executor(const disk_executor&) = delete;
  disk_executor& operator=(const disk_executor&) = delete;
  disk_executor(disk_executor&&) = delete;
  disk_executor& operator=(disk_executor&&) = delete;

  void submit(disk_call& call);
  void end_turn();
  // Compaction ends as soon as it can, so that whoever waits for it is answered.
  void begin_shutdown() { compactor_.stop(); }
  // On the shard's thread, after its last turn: waits for what is under way.
  void end();

  [[nodiscard]] const disk_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] const std::vector<std::string>& messages() const { return report_.messages; }

 private:
  class operation;
  class value_read;

  void run() override;  // what may go on, and the answers
  void fire() override;
  void publish();
  void publish_sums();
  void wake();
  void begin(operation& op);
  void look_up(operation& op);
  void load(operation& op);
  void loaded(operation& op);
  void collect_changes(operation& op);
  void answer(operation& op);
  void flush_all(operation& op);
  void compact(operation& op);
  [[nodiscard]] bool has_memory(const operation& op) const;
  [[nodiscard]] bool index_is_full() const;
  operation& take_operation();

  reactor::reactor& loop_;
  disk_options options_;
  std::size_t max_index_bytes_;
  store::hash_seed lock_seed_;
  std::string absent_value_;  // stands for a value that was not read; no client knows it
  value_log::disk_port port_;
  value_log::log_content content_;
  value_log::appender appender_;
  value_log::compactor compactor_;
  value_log::key_locks locks_;
  value_log::recovery_report report_;
  std::deque<operation*> ready_;
  std::deque<operation*> waiting_for_memory_;
  std::vector<disk_call*> answered_;
  std::vector<std::unique_ptr<operation>> all_;
  std::vector<operation*> free_;
  std::uint64_t bytes_being_read_ = 0;
  std::uint64_t hits_ = 0;
  std::uint64_t misses_ = 0;
  disk_counters counters_;
  std::chrono::nanoseconds percentiles_at_{};
  std::chrono::nanoseconds last_work_{};
  bool scheduled_ = false;
  bool tick_armed_ = false;
  bool ended_ = false;
};

}  // namespace stallscope::server
