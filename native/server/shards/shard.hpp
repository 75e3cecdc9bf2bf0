// The part of the server that runs on one core: a loop, a share of the keys, and its connections.
// Only its thread accesses it, except for counters() and the calls that shard_mailbox carries.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <vector>

#include "reactor/reactor.hpp"
#include "server/shards/buffer_pool.hpp"
#include "server/shards/connection.hpp"
#include "server/shards/disk_executor.hpp"
#include "server/shards/executor.hpp"
#include "server/shards/server_options.hpp"
#include "server/shards/shard_counters.hpp"
#include "server/shards/shard_mailbox.hpp"
#include "stages/batch_log.hpp"
#include "store/keyspace.hpp"

namespace stallscope::server {

class shared_server;

class shard final : private reactor::timer, private shard_mailbox::listener {
 public:
  shard(shared_server& server, std::size_t index);
  shard(const shard&) = delete;
  shard& operator=(const shard&) = delete;
  shard(shard&&) = delete;
  shard& operator=(shard&&) = delete;
  ~shard();

  // Serves until all shards have shut down.
  void serve() {
    loop_.run();
    if (disk_) disk_->end();
  }

  [[nodiscard]] reactor::reactor& loop() noexcept { return loop_; }
  [[nodiscard]] store::keyspace& keys() noexcept { return keys_; }
  // Null if values are in memory.
  [[nodiscard]] disk_executor* disk() noexcept { return disk_.get(); }
  [[nodiscard]] const disk_executor* disk() const noexcept { return disk_.get(); }
  [[nodiscard]] shard_mailbox& mailbox() noexcept { return mailbox_; }
  [[nodiscard]] buffer_pool& inputs() noexcept { return inputs_; }
  [[nodiscard]] buffer_pool& outputs() noexcept { return outputs_; }
  [[nodiscard]] server::executor& executor() noexcept { return executor_; }
  [[nodiscard]] shared_server& server() noexcept { return server_; }
  [[nodiscard]] const server_options& options() const noexcept { return options_; }
  [[nodiscard]] std::size_t index() const noexcept { return index_; }

  [[nodiscard]] shard_counters& counters() noexcept { return counters_; }
  [[nodiscard]] const shard_counters& counters() const noexcept { return counters_; }
  [[nodiscard]] const stages::stage_registry& stages() const noexcept { return registry_; }
  [[nodiscard]] const stages::batch_log& batches() const noexcept { return *log_; }

  // Adopts an accepted client; on the thread of this shard.
  void adopt(descriptor socket, const session& start);

  void mark_dirty(connection& client) {
    if (client.in_dirty) return;
    add_dirty(client);
  }
  void closed(connection& client) { ended_.push_back(&client); }
  // Prints why the server closed a client, at most once per second.
  void report_lost_client(const char* reason) noexcept;
  // Updates the total of buffered bytes; returns false if it exceeds the limit.
  bool account(std::size_t from, std::size_t to);
  // Closes the client with the most buffered bytes.
  void cut_off_largest();

 private:
  [[gnu::noinline]] void add_dirty(connection& client) {
    client.in_dirty = true;
    dirty_.push_back(&client);
  }
  // A member function as a task of the loop.
  template <void (shard::*function)()>
  class member_task final : public reactor::task {
   public:
    explicit member_task(shard& owner) : owner_(owner) {}
    void run() override { (owner_.*function)(); }

   private:
    shard& owner_;
  };

  void reserve_connection();
  void start_turn();
  void end_turn();
  void fire() override;  // the tick: expiry, stalled clients
  void mailbox_drained() override;
  void sweep_keys();
  void remove_ended();
  void publish();
  void arm_tick();
  void end_if_done();

  shared_server& server_;
  const server_options& options_;
  std::size_t index_;
  shard_counters counters_;
  reactor::reactor loop_;
  store::keyspace keys_;
  std::unique_ptr<disk_executor> disk_;
  buffer_pool inputs_;
  buffer_pool outputs_;
  shard_mailbox mailbox_;
  std::unique_ptr<stages::batch_log> log_;
  stages::stage_registry registry_;
  server::executor executor_;
  std::vector<connection*> dirty_;
  std::vector<connection*> ended_;
  std::vector<connection*> flushing_;
  std::vector<std::unique_ptr<connection>> connections_;
  member_task<&shard::start_turn> turn_start_{*this};
  member_task<&shard::end_turn> turn_end_{*this};
  std::chrono::nanoseconds close_all_at_{};
  std::chrono::nanoseconds reported_at_{};  // when a lost client was last reported; 0: never
  bool tick_armed_ = false;
  bool shutting_down_ = false;
  bool done_ = false;
};

}  // namespace stallscope::server
