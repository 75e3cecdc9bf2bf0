// Shards driven by hand, one turn after another on this thread, while allocations fail: only the
// client of the request is affected, and the server still shuts down.
#include <doctest/doctest.h>
#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cstdlib>
#include <new>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace {

// Number of allocations of this thread that still succeed; nothing: all.
thread_local std::optional<std::size_t> allocations_left;
thread_local bool only_one_fails = true;
thread_local bool failed = false;

void* allocate(std::size_t bytes) noexcept {
  if (allocations_left && *allocations_left == 0) {
    if (only_one_fails) allocations_left.reset();
    failed = true;
    return nullptr;
  }
  if (allocations_left) --*allocations_left;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void* allocate_or_throw(std::size_t bytes) {
  void* allowed = allocate(bytes);
  if (allowed == nullptr) throw std::bad_alloc();
  return allowed;
}

}  // namespace

void* operator new(std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new[](std::size_t bytes) { return allocate_or_throw(bytes); }
void* operator new(std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(bytes);
}
void* operator new[](std::size_t bytes, const std::nothrow_t& /*tag*/) noexcept {
  return allocate(bytes);
}
void operator delete(void* allowed) noexcept { std::free(allowed); }
void operator delete[](void* allowed) noexcept { std::free(allowed); }
void operator delete(void* allowed, std::size_t /*bytes*/) noexcept { std::free(allowed); }
void operator delete[](void* allowed, std::size_t /*bytes*/) noexcept { std::free(allowed); }

namespace {

using namespace stallscope;
using namespace stallscope::server;

constexpr int enough_turns = 50;

server_options two_shards(bool stages) {
  server_options options;
  options.cpus = {0, 0};  // no thread is pinned here
  options.stages = stages;
  return options;
}

class hand_driven_server {
 public:
  explicit hand_driven_server(bool stages) : server_(two_shards(stages)) {}

  // Connects a client to the first shard and returns its end. Meanwhile, `allowed` allocations
  // succeed.
  descriptor connect(std::optional<std::size_t> allowed = {}) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
    descriptor own(ends[0]);
    REQUIRE(server_.enter());
    session start;
    start.id = server_.next_id();
    start.authenticated = true;
    allocations_left = allowed;
    server_.shards()[0]->adopt(descriptor(ends[1]), start);
    allocations_left.reset();
    return own;
  }

  // Runs turns; the allocation after `allowed` ones fails.
  void turns(std::optional<std::size_t> allowed = {}) {
    allocations_left = allowed;
    for (int i = 0; i < enough_turns; ++i) {
      for (const auto& one : server_.shards()) one->loop().turn({});
    }
    allocations_left.reset();
  }

  // All received bytes and whether the server closed the connection; nothing if it did not.
  std::pair<std::string, bool> ask(const descriptor& client, std::string_view request,
                                   std::optional<std::size_t> allowed = {}) {
    REQUIRE(::send(client.get(), request.data(), request.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(request.size()));
    turns(allowed);
    std::string all(4096, '\0');
    const ssize_t got = ::recv(client.get(), all.data(), all.size(), 0);
    all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return {all, got == 0};
  }

  std::string key_of_shard(std::size_t shard) const {
    for (int number = 0;; ++number) {
      std::string key = "k" + std::to_string(number);
      if (server_.shard_of(key) == shard) return key;
    }
  }

  // Whether the server ends after all clients have left.
  bool ends() {
    server_.begin_shutdown();
    turns();
    return server_.all_done();
  }

 private:
  shared_server server_;
};

// Sends a request while `allowed` allocations succeed; returns whether one failed.
bool request_with_failure(bool stages, std::size_t allowed, const std::string& before,
                          const std::string& kind) {
  hand_driven_server server(stages);
  const std::string far = server.key_of_shard(1);
  const std::string near = server.key_of_shard(0);
  const std::string request = kind == "GET"    ? "GET " + far + "\r\n"
                              : kind == "MGET" ? "MGET " + near + " " + far + "\r\n"
                                               : kind + "\r\n";
  const std::string whole = kind == "GET"    ? "$-1\r\n"
                            : kind == "MGET" ? "*2\r\n$-1\r\n$-1\r\n"
                                             : ":0\r\n";
  {
    const descriptor steady = server.connect();
    CHECK(server.ask(steady, "ECHO one\r\n").first == "$3\r\none\r\n");
    const descriptor client = server.connect();
    failed = false;
    const auto answer = server.ask(client, before + request, allowed);
    const std::string& reply = answer.first;
    CAPTURE(allowed);
    CAPTURE(reply);
    CHECK((answer.second || !reply.empty()));
    if (!failed) CHECK(reply == (before.empty() ? "" : "+PONG\r\n") + whole);
    CHECK(server.ask(steady, "GET " + far + "\r\n").first == "$-1\r\n");
  }
  server.turns();
  CHECK(server.ends());
  return failed;
}

}  // namespace

TEST_CASE(
    "who finds no memory for a request to other shards does not keep the server from its end") {
  for (const std::string kind : {"GET", "MGET", "DBSIZE"}) {
    for (const std::string before : {"", "PING\r\n"}) {
      for (const int switches : {0, 1, 2, 3}) {
        const bool stages = (switches & 1) != 0;
        only_one_fails = (switches & 2) != 0;
        CAPTURE(kind);
        CAPTURE(before);
        CAPTURE(stages);
        CAPTURE(only_one_fails);
        std::size_t allowed = 0;
        while (request_with_failure(stages, allowed, before, kind)) ++allowed;
        CHECK(allowed > 2);
      }
    }
  }
}

TEST_CASE("without memory for a connection, only that client is closed") {
  only_one_fails = true;
  std::size_t allowed = 0;
  do {
    CAPTURE(allowed);
    hand_driven_server server(true);
    {
      const descriptor steady = server.connect();
      failed = false;
      const descriptor client = server.connect(allowed);
      if (failed) {
        char byte = 0;
        CHECK(::recv(client.get(), &byte, 1, 0) == 0);
      } else {
        CHECK(server.ask(client, "PING\r\n").first == "+PONG\r\n");
      }
      CHECK(server.ask(steady, "PING\r\n").first == "+PONG\r\n");
    }
    server.turns();
    CHECK(server.ends());
    ++allowed;
  } while (failed);
  CHECK(allowed > 1);
}
