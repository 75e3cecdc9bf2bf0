// Answers GET /metrics over HTTP/1.1 on loopback, one request a connection, from the first shard's
// loop: a scrape costs that shard some 0.1 ms. At most a few connections, each of bounded size and
// time.
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
  class visitor;

  void on_events(std::uint32_t events) override;
  void fire() override;
  void beat();

  shared_server& server_;
  reactor::reactor& loop_;
  tcp_listener listener_;
  std::list<visitor> visitors_;
  bool beating_ = false;
};

}  // namespace stallscope::server
