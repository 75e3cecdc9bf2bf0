// Serves GET /metrics over HTTP/1.1 on loopback, one request per connection, from the loop of the
// first shard. The number, size and duration of connections are bounded. Cost: about 0.1 ms of that
// shard per scrape. Thread: that of the loop.
#pragma once

#include <chrono>
#include <cstdint>
#include <list>
#include <string>

#include "base/descriptor.hpp"
#include "reactor/reactor.hpp"
#include "server/shards/listening.hpp"

namespace stallscope::server {

class shared_server;

class metrics_server final : private reactor::event_handler, private reactor::timer {
 public:
  metrics_server(shared_server& server, reactor::reactor& loop, std::uint16_t port);
  metrics_server(const metrics_server&) = delete;
  metrics_server& operator=(const metrics_server&) = delete;
  metrics_server(metrics_server&&) = delete;
  metrics_server& operator=(metrics_server&&) = delete;
  ~metrics_server();

  [[nodiscard]] std::uint16_t port() const noexcept { return listener_.port; }

 private:
  class http_connection;

  void on_events(std::uint32_t events) override;
  void fire() override;
  void arm_tick();
  void accept(descriptor socket);
  void remove_ended();
  bool listen(bool on) noexcept;

  shared_server& server_;
  reactor::reactor& loop_;
  tcp_listener listener_;
  std::list<http_connection> connections_;
  bool tick_armed_ = false;
};

}  // namespace stallscope::server
