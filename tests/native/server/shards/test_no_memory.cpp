// Shards driven by hand, one turn after another on this thread, while the system gives no memory
// for something of a request's: whoever asked bears it, and the server still ends.
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

// How many allocations from now on succeed; nothing: all. No other thread's.
thread_local std::optional<std::size_t> given_before_failure;
thread_local bool only_one_fails = true;
thread_local bool failed = false;

void* allocate(std::size_t bytes) noexcept {
  if (given_before_failure && *given_before_failure == 0) {
    if (only_one_fails) given_before_failure.reset();
    failed = true;
    return nullptr;
  }
  if (given_before_failure) --*given_before_failure;
  return std::malloc(bytes == 0 ? 1 : bytes);
}

void* allocate_or_throw(std::size_t bytes) {
  void* given = allocate(bytes);
  if (given == nullptr) throw std::bad_alloc();
  return given;
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
void operator delete(void* given) noexcept { std::free(given); }
void operator delete[](void* given) noexcept { std::free(given); }
void operator delete(void* given, std::size_t /*bytes*/) noexcept { std::free(given); }
void operator delete[](void* given, std::size_t /*bytes*/) noexcept { std::free(given); }

namespace {

using namespace stallscope;
using namespace stallscope::server;

constexpr int enough_turns = 50;

server_options two_shards(bool stages) {
  server_options options;
  options.cpus = {0, 0};  // nothing is pinned here
  options.stages = stages;
  return options;
}

class two_by_hand {
 public:
  explicit two_by_hand(bool stages) : server_(two_shards(stages)) {}

  // A client of the first shard's; its own end. While it is taken, so many allocations succeed.
  descriptor connect(std::optional<std::size_t> given = {}) {
    std::array<int, 2> ends{};
    REQUIRE(::socketpair(AF_UNIX, SOCK_STREAM | SOCK_NONBLOCK, 0, ends.data()) == 0);
    descriptor own(ends[0]);
    REQUIRE(server_.enter());
    session start;
    start.id = server_.next_id();
    start.authenticated = true;
    given_before_failure = given;
    server_.shards()[0]->adopt(descriptor(ends[1]), start);
    given_before_failure.reset();
    return own;
  }

  // The allocation after so many fails, or all from there on.
  void turns(std::optional<std::size_t> given = {}) {
    given_before_failure = given;
    for (int i = 0; i < enough_turns; ++i) {
      for (const auto& one : server_.shards()) one->loop().turn({});
    }
    given_before_failure.reset();
  }

  // All that comes, and whether the server has closed: nothing where it has not.
  std::pair<std::string, bool> ask(const descriptor& client, std::string_view request,
                                   std::optional<std::size_t> given = {}) {
    REQUIRE(::send(client.get(), request.data(), request.size(), MSG_NOSIGNAL) ==
            static_cast<ssize_t>(request.size()));
    turns(given);
    std::string all(4096, '\0');
    const ssize_t got = ::recv(client.get(), all.data(), all.size(), 0);
    all.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
    return {all, got == 0};
  }

  std::string key_of_shard(std::size_t wanted) const {
    for (int number = 0;; ++number) {
      std::string key = "k" + std::to_string(number);
      if (server_.shard_of(key) == wanted) return key;
    }
  }

  // Whether it ends, when all clients have left.
  bool ends() {
    server_.begin_shutdown();
    turns();
    return server_.all_done();
  }

 private:
  shared_server server_;
};

// Asks where so many allocations succeed; whether one failed.
bool ask_with_failure(bool stages, std::size_t given, const std::string& before,
                      const std::string& kind) {
  two_by_hand server(stages);
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
    const auto answer = server.ask(client, before + request, given);
    const std::string& reply = answer.first;
    CAPTURE(given);
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
        std::size_t given = 0;
        while (ask_with_failure(stages, given, before, kind)) ++given;
        CHECK(given > 2);
      }
    }
  }
}

TEST_CASE("who finds no memory for its connection is closed, and nobody else") {
  only_one_fails = true;
  std::size_t given = 0;
  do {
    CAPTURE(given);
    two_by_hand server(true);
    {
      const descriptor steady = server.connect();
      failed = false;
      const descriptor client = server.connect(given);
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
    ++given;
  } while (failed);
  CHECK(given > 1);
}
