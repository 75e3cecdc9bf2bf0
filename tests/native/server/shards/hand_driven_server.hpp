// A server whose loops run on this thread, turn by turn.
#pragma once

#include <doctest/doctest.h>
#include <sys/socket.h>

#include <array>
#include <chrono>
#include <string>
#include <string_view>
#include <utility>

#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {

class hand_driven_server {
 public:
  explicit hand_driven_server(const server_options& options) : server_(options) {}

  // Connects a client to the first shard and returns its end.
  descriptor connect() {
    new_client made = make_client();
    adopt(made);
    return std::move(made.end);
  }

  // Runs turns of all shards.
  void turns(int count, std::chrono::nanoseconds longest = {}) {
    for (int i = 0; i < count; ++i) {
      for (const auto& owner : server_.shards()) owner->loop().turn(longest);
    }
  }
  [[nodiscard]] shared_server& server() { return server_; }

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

  void begin_shutdown() { server_.begin_shutdown(); }
  [[nodiscard]] bool all_done() const { return server_.all_done(); }

 protected:
  struct new_client {
    descriptor end;
    descriptor served;
    session start;
  };

  new_client make_client() {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
    new_client made{descriptor(ends[0]), descriptor(ends[1]), {}};
    REQUIRE(server_.enter());
    made.start.id = server_.next_id();
    made.start.authenticated = true;
    return made;
  }
  void adopt(new_client& made) { server_.shards()[0]->adopt(std::move(made.served), made.start); }

 private:
  shared_server server_;
};

}  // namespace stallscope::server
