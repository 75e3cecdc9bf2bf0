// State shared by all shards of a server: options, mailboxes, clients, and the texts of INFO. Any
// thread, except for shards().
#pragma once

#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "server/commands/session.hpp"
#include "server/shards/client_list.hpp"
#include "server/shards/server_options.hpp"
#include "server/shards/shard_counters.hpp"
#include "server/shards/shard_mailbox.hpp"
#include "store/key_hash.hpp"
#include "value_log/data_directory.hpp"

namespace stallscope::server {

class shared_server final : public server_view {
 public:
  explicit shared_server(server_options options);
  shared_server(const shared_server&) = delete;
  shared_server& operator=(const shared_server&) = delete;
  shared_server(shared_server&&) = delete;
  shared_server& operator=(shared_server&&) = delete;
  ~shared_server() override;

  [[nodiscard]] const server_options& options() const noexcept { return options_; }
  // Null if values are in memory.
  [[nodiscard]] const value_log::data_directory* data() const noexcept {
    return data_ ? &*data_ : nullptr;
  }
  [[nodiscard]] mailbox_queues& mailboxes() noexcept { return mailboxes_; }
  [[nodiscard]] client_list& clients() noexcept { return clients_; }
  // Constant after construction; each shard belongs to its thread.
  [[nodiscard]] std::span<const std::unique_ptr<shard>> shards() const noexcept { return shards_; }
  [[nodiscard]] std::size_t shard_of(std::string_view key) const {
    return store::key_hash(seed_, key) % shards_.size();
  }

  // Called by the acceptor: reserves a place for one more client; false if the limit is reached.
  [[nodiscard]] bool enter();
  void count_rejected() noexcept { rejected_.fetch_add(1, std::memory_order_relaxed); }
  void leave() noexcept { connected_.fetch_sub(1, std::memory_order_relaxed); }
  [[nodiscard]] std::uint64_t next_id() noexcept { return ids_.fetch_add(1) + 1; }
  [[nodiscard]] std::uint64_t connected() const noexcept { return connected_.load(); }
  [[nodiscard]] std::uint64_t rejected() const noexcept { return rejected_.load(); }
  [[nodiscard]] std::chrono::steady_clock::time_point started() const noexcept { return started_; }
  // The bound port, for INFO; set before threads start.
  void set_port(std::uint16_t port) noexcept { port_ = port; }
  [[nodiscard]] std::uint16_t port() const noexcept { return port_; }

  // Starts the shutdown: every shard answers the requests it has read and closes its clients. Any
  // thread.
  void begin_shutdown() noexcept;
  [[nodiscard]] bool shutting_down() const noexcept { return shutting_down_.load(); }
  void shard_is_done() noexcept;
  [[nodiscard]] bool all_done() const noexcept { return shards_left_.load() == 0; }

  [[nodiscard]] std::string_view password() const override { return options_.password; }
  [[nodiscard]] std::string info(std::span<const std::string_view> sections) override;
  [[nodiscard]] std::string client_line(const session& client) override;
  [[nodiscard]] std::string client_lines() override;
  [[nodiscard]] std::vector<std::pair<std::string, std::string>> settings() override;

 private:
  void wake_all() noexcept;

  server_options options_;
  std::optional<value_log::data_directory> data_;
  mailbox_queues mailboxes_;
  client_list clients_;
  store::hash_seed seed_;
  std::chrono::steady_clock::time_point started_;
  std::uint16_t port_ = 0;
  std::atomic<std::uint64_t> connected_{0};
  std::atomic<std::uint64_t> rejected_{0};
  std::atomic<std::uint64_t> ids_{0};
  std::atomic<bool> shutting_down_{false};
  std::atomic<std::size_t> shards_left_;
  std::vector<std::unique_ptr<shard>> shards_;
};

}  // namespace stallscope::server
