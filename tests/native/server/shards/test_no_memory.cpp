// Allocations fail one after another: only the client of the request is affected, and the server
// still shuts down.
#include <doctest/doctest.h>

#include <string>
#include <string_view>
#include <utility>

#include "failing_server.hpp"

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

std::pair<std::string, bool> reply_to(failing_server& server, const descriptor& client,
                                      std::string_view request,
                                      const failing_server::plan& failing = {}) {
  failing_server::send(client, request);
  server.turns(enough_turns, failing);
  return failing_server::receive(client);
}

bool ends(failing_server& server) {
  server.turns(enough_turns);
  server.begin_shutdown();
  server.turns(enough_turns);
  return server.all_done();
}

// Sends a request under this plan; returns whether an allocation failed.
bool request_with_failure(bool stages, const failing_allocations::plan& failing,
                          const std::string& before, const std::string& kind) {
  failing_server server(two_shards(stages));
  const std::string far = server.key_of_shard(1);
  const std::string near = server.key_of_shard(0);
  const std::string request = kind == "GET"    ? "GET " + far + "\r\n"
                              : kind == "MGET" ? "MGET " + near + " " + far + "\r\n"
                                               : kind + "\r\n";
  const std::string whole = kind == "GET"    ? "$-1\r\n"
                            : kind == "MGET" ? "*2\r\n$-1\r\n$-1\r\n"
                                             : ":0\r\n";
  bool failed = false;
  {
    const descriptor steady = server.connect();
    CHECK(reply_to(server, steady, "ECHO one\r\n").first == "$3\r\none\r\n");
    const descriptor client = server.connect();
    const auto answer = reply_to(server, client, before + request, failing);
    const std::string& reply = answer.first;
    failed = server.failed();
    CAPTURE(failing.succeed);
    CAPTURE(reply);
    CHECK((answer.second || !reply.empty()));
    if (!failed) CHECK(reply == (before.empty() ? "" : "+PONG\r\n") + whole);
    CHECK(reply_to(server, steady, "GET " + far + "\r\n").first == "$-1\r\n");
  }
  CHECK(ends(server));
  return failed;
}

}  // namespace

TEST_CASE("without memory for a request to other shards, the server still shuts down") {
  for (const std::string kind : {"GET", "MGET", "DBSIZE"}) {
    for (const std::string before : {"", "PING\r\n"}) {
      for (const int switches : {0, 1, 2, 3}) {
        const bool stages = (switches & 1) != 0;
        failing_allocations::plan failing{.succeed = 0, .only_one_fails = (switches & 2) != 0};
        CAPTURE(kind);
        CAPTURE(before);
        CAPTURE(stages);
        CAPTURE(failing.only_one_fails);
        while (request_with_failure(stages, failing, before, kind)) ++failing.succeed;
        CHECK(failing.succeed > 2);
      }
    }
  }
}

TEST_CASE("without memory for a connection, only that client is closed") {
  failing_allocations::plan failing;
  bool failed = true;
  for (; failed; ++failing.succeed) {
    CAPTURE(failing.succeed);
    failing_server server(two_shards(true));
    {
      const descriptor steady = server.connect();
      const descriptor client = server.connect(failing);
      failed = server.failed();
      if (failed) {
        CHECK(failing_server::receive(client).second);
      } else {
        CHECK(reply_to(server, client, "PING\r\n").first == "+PONG\r\n");
      }
      CHECK(reply_to(server, steady, "PING\r\n").first == "+PONG\r\n");
    }
    CHECK(ends(server));
  }
  CHECK(failing.succeed > 1);
}
