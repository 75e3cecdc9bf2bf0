// A server from its sockets to its end: shards on pinned threads, the acceptors, signals. The
// calling thread is the first shard's.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <functional>
#include <iosfwd>
#include <memory>
#include <optional>
#include <vector>

#include "server/shards/acceptor.hpp"
#include "server/shards/listening.hpp"
#include "server/shards/metrics_server.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {

struct shard_thread {
  pid_t tid;
  int cpu;
};

struct ready_server {
  std::optional<std::uint16_t> port;
  std::optional<std::uint16_t> metrics_port;
  std::vector<shard_thread> threads;
};

class running_server final : private reactor::event_handler {
 public:
  // Listens from here on; throws where it cannot.
  explicit running_server(server_options options);
  running_server(const running_server&) = delete;
  running_server& operator=(const running_server&) = delete;
  running_server(running_server&&) = delete;
  running_server& operator=(running_server&&) = delete;
  ~running_server();

  // Pins the threads, calls `ready`, serves until SIGTERM or SIGINT; returns when all clients have
  // their replies. Throws std::system_error where a thread cannot be made or pinned.
  void run(const std::function<void(const ready_server&)>& ready);

  // What was found amiss on the disk at the start, a line each.
  [[nodiscard]] std::vector<std::string> disk_messages() const;

  // The batches that the stages ran, in the form of batch_log.hpp; of shards one after another.
  // After run() alone.
  void write_batches(std::ostream& out) const;

 private:
  void on_events(std::uint32_t events) override;
  void end();
  void serve_first();

  shared_server server_;
  std::optional<tcp_listener> tcp_;
  std::optional<unix_listener> unix_;
  std::vector<std::unique_ptr<acceptor>> acceptors_;
  std::optional<metrics_server> metrics_;
  descriptor signals_;
};

}  // namespace stallscope::server
