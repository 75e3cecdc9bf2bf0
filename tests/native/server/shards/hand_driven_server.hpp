// A server of two shards whose loops run on this thread, turn by turn, so that a test decides when
// allocations fail.
#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "failing_allocations.hpp"
#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {

class hand_driven_server {
 public:
  using plan = std::optional<failing_allocations::plan>;

  explicit hand_driven_server(const server_options& options) : server_(options) {}

  // Connects a client to the first shard, under this plan, and returns its end.
  descriptor connect(const plan& failing = {}) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
    descriptor own(ends[0]);
    REQUIRE(server_.enter());
    session start;
    start.id = server_.next_id();
    start.authenticated = true;
    if (failing) failing_allocations::begin(*failing);
    server_.shards()[0]->adopt(descriptor(ends[1]), start);
    failed_ = failing_allocations::end();
    return own;
  }

  // Runs turns of all shards, under this plan.
  void turns(int count, const plan& failing = {}, std::chrono::nanoseconds longest = {}) {
    if (failing) failing_allocations::begin(*failing);
    for (int i = 0; i < count; ++i) {
      for (const auto& owner : server_.shards()) owner->loop().turn(longest);
    }
    failed_ = failing_allocations::end();
  }

  static void send(const descriptor& client, std::string_view request) {
    REQUIRE(::send(client.get(), request.data(), request.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(request.size()));
  }

  // All received bytes, and whether the server closed the connection.
  static std::pair<std::string, bool> receive(const descriptor& client) {
    std::string all(4096, '\0');
    const ssize_t got = ::recv(client.get(), all.data(), all.size(), 0);
    all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return {all, got == 0};
  }

  [[nodiscard]] std::string key_of_shard(std::size_t shard) const {
    for (int number = 0;; ++number) {
      std::string key = "k" + std::to_string(number);
      if (server_.shard_of(key) == shard) return key;
    }
  }

  // Whether an allocation of the last call with a plan failed.
  [[nodiscard]] bool failed() const { return failed_; }

  void begin_shutdown() { server_.begin_shutdown(); }
  [[nodiscard]] bool all_done() const { return server_.all_done(); }

 private:
  shared_server server_;
  bool failed_ = false;
};

}  // namespace stallscope::server
