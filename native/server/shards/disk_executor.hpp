// Runs commands on keys whose values are on the disk, for one shard. A command first locks its
// keys; then the values that it needs are read; then the ordinary command handler runs on a
// temporary keyspace with only these keys; finally its changes are appended to the log. So the
// replies are the same as in memory, and a write is acknowledged after it is written.
//
//   class get_call : public disk_call { void disk_answered() override { send(reply); } };
//   disk.submit(call);      // call.disk_answered(), in a later turn
//   disk.cancel(call);      // its client disconnected
//
// Commands on different keys may overtake each other; commands on the same key do not.
//
// Every submitted call is answered: one that runs out of memory is answered with an error, and what
// waits for its keys continues. What an operation needs to end (its locks, its lists, the room of
// its keys in the index) is allocated before it starts.
//
// Cost: memory for the index, the values being read (bounded by a read_budget), two batches and the
// buffers of compaction. Thread: that of the shard.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "base/linked_fifo.hpp"
#include "reactor/reactor.hpp"
#include "server/commands/command.hpp"
#include "server/shards/disk_counters.hpp"
#include "server/shards/disk_options.hpp"
#include "server/shards/disk_publisher.hpp"
#include "server/shards/read_budget.hpp"
#include "value_log/appender.hpp"
#include "value_log/compactor.hpp"
#include "value_log/disk_port.hpp"
#include "value_log/key_locks.hpp"
#include "value_log/log_content.hpp"
#include "value_log/recovery.hpp"

namespace stallscope::server {

// A command in flight; the caller keeps it and its words in place until disk_answered().
class disk_call {
 public:
  const command* what = nullptr;
  request_words words;
  resp::byte_buffer* reply_to = nullptr;
  resp::protocol version = resp::protocol::resp2;
  disk_call* next = nullptr;  // for the executor
  std::uint64_t request_mark = 0;
  // The operation that runs it; for the executor.
  value_log::key_locks::holder* operation = nullptr;

  virtual void disk_answered() noexcept = 0;  // never from within submit()

 protected:
  ~disk_call() = default;
};

// A queue before the log, such as an execution stage. It passes each entry to log_changes().
class log_queue {
 public:
  virtual void enqueue(value_log::append_request& changes) = 0;

 protected:
  ~log_queue() = default;
};

class disk_executor final : private reactor::task, private reactor::timer {
 public:
  // Reads the segments of the shard; throws as recover() does.
  disk_executor(reactor::reactor& loop, const value_log::data_directory& directory,
                std::uint32_t shard, const disk_options& options, std::size_t max_index_bytes);
  ~disk_executor();
  disk_executor(const disk_executor&) = delete;
  disk_executor& operator=(const disk_executor&) = delete;
  disk_executor(disk_executor&&) = delete;
  disk_executor& operator=(disk_executor&&) = delete;

  // Throws std::bad_alloc without effect; otherwise the call is answered, perhaps with an error.
  void submit(disk_call& call);
  // Cancels the reads of a submitted command that changes nothing, because its client disconnected.
  // The call is answered, in a later turn, with an error. Without effect if it is answered already.
  void cancel(disk_call& call) noexcept;
  // Changes pass this queue before they are appended to the log; null: none.
  void log_through(log_queue* queue) noexcept { log_queue_ = queue; }
  void log_changes(value_log::append_request& changes) noexcept;
  void end_turn();
  // Stops compaction soon, so that commands that wait for it are answered.
  void begin_shutdown() { compactor_.stop(); }
  // Called after the last turn of the shard: waits for requests in flight.
  void end();

  [[nodiscard]] const disk_counters& counters() const noexcept { return publisher_.counters(); }
  [[nodiscard]] const std::vector<std::string>& messages() const { return report_.messages; }

 private:
  class operation;
  class value_read;

  void run() override;  // continues ready operations and delivers replies
  void fire() override;
  void wake() noexcept;
  // Runs a part of the operation; answers it with an error if the part throws.
  template <typename Work>
  void guarded(operation& op, Work work) noexcept;
  void begin(operation& op);
  void continue_waiting();
  void look_up(operation& op);
  void load(operation& op);
  void loaded(operation& op) noexcept;
  void run_command(operation& op);
  void collect_changes(operation& op);
  void append_changes(operation& op);
  void answer(operation& op) noexcept;
  void prepare(operation& op, disk_call& call);
  void free(operation& op) noexcept;
  void flush_all(operation& op);
  void compact(operation& op);
  [[nodiscard]] bool index_is_full() const;
  operation& take_operation();

  reactor::reactor& loop_;
  std::size_t max_index_bytes_;
  store::hash_seed lock_seed_;
  std::string absent_value_;  // placeholder for a value that was not read; random, so that no
                              // client knows it
  value_log::checksum_check read_check_;
  value_log::disk_port port_;
  value_log::log_content content_;
  value_log::appender appender_;
  value_log::compactor compactor_;
  value_log::key_locks locks_;
  value_log::recovery_report report_;
  linked_fifo<operation> ready_;
  read_budget<operation> budget_;
  linked_fifo<disk_call> answered_;
  std::vector<std::unique_ptr<operation>> all_;
  linked_fifo<operation> free_;
  std::size_t in_flight_ = 0;
  command_counts counts_;
  disk_publisher publisher_;
  std::chrono::nanoseconds last_work_{};
  log_queue* log_queue_ = nullptr;
  bool scheduled_ = false;
  bool tick_armed_ = false;
  bool ended_ = false;
};

}  // namespace stallscope::server
