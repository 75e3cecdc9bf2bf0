// A server from opening its sockets to shutdown: shards on pinned threads, acceptors, signals.
//
//     running_server server(options);     // listens from here on
//     server.run([](const ready_server& ready) { print(*ready.port); });
//
// Thread: the calling thread runs the first shard.
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
  // Starts to listen. Throws if a socket or the log cannot be opened.
  explicit running_server(server_options options);
  running_server(const running_server&) = delete;
  running_server& operator=(const running_server&) = delete;
  running_server(running_server&&) = delete;
  running_server& operator=(running_server&&) = delete;
  ~running_server();

  // Pins the threads, calls `ready` and serves until SIGTERM or SIGINT; returns after all clients
  // have their replies. Throws std::system_error if a thread cannot be created or pinned.
  void run(const std::function<void(const ready_server&)>& ready);

  // Messages about damage on the disk at the start, one line each.
  [[nodiscard]] std::vector<std::string> disk_messages() const;

  // Writes the batches of the stages in the format of batch_log.hpp, shard after shard. Only after
  // run().
  void write_batches(std::ostream& out) const;

 private:
  void on_events(std::uint32_t events) override;
  void end();

  shared_server server_;
  std::optional<tcp_listener> tcp_;
  std::optional<unix_listener> unix_;
  std::vector<std::unique_ptr<acceptor>> acceptors_;
  std::optional<metrics_server> metrics_;
  descriptor signals_;
};

}  // namespace stallscope::server
