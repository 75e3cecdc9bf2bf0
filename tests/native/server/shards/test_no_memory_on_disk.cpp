// Allocations fail one after another while values are on the disk: every client gets a reply, an
// acknowledged value is readable, no key stays locked, and the server shuts down.
#include <doctest/doctest.h>

#include <chrono>
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "collect/scratch.hpp"
#include "failing_server.hpp"
#include "long_tests.hpp"

namespace {

using namespace stallscope;
using namespace stallscope::server;
using namespace std::chrono_literals;

constexpr int patience = 3000;    // turns of at most 1 ms per shard
constexpr int quick_turns = 200;  // of them, those that do not wait

class disk_server {
 public:
  disk_server() : server_(options(folder_)) {}

  descriptor connect() { return server_.connect(); }
  [[nodiscard]] bool failed() const { return failed_; }
  [[nodiscard]] std::string near() const { return server_.key_of_shard(0); }
  [[nodiscard]] std::string far() const { return server_.key_of_shard(1); }

  // The reply; "closed" if the server closed the connection, and nothing if it did not reply.
  std::string reply_to(const descriptor& client, std::string_view request,
                       const failing_server::plan& failing = {}) {
    failing_server::send(client, request);
    if (failing) server_.turns(turns_that_fail, failing);
    failed_ = server_.failed();
    for (int turns = 0; turns < patience; ++turns) {
      server_.turns(1, {}, turns < quick_turns ? 0ms : 1ms);
      const auto [reply, closed] = failing_server::receive(client);
      if (closed) return "closed";
      if (!reply.empty()) return reply;
    }
    return {};
  }

  bool ends() {
    server_.begin_shutdown();
    for (int turns = 0; turns < patience && !server_.all_done(); ++turns) {
      server_.turns(1, {}, turns < quick_turns ? 0ms : 1ms);
    }
    return server_.all_done();
  }

 private:
  static constexpr int turns_that_fail = 30;

  static server_options options(const test::scratch& folder) {
    server_options made;
    made.cpus = {0, 0};  // no thread is pinned here
    made.path = path_kind::disk;
    made.disk.directory = folder.at("data");
    made.disk.segment_bytes = std::uint64_t{1} << 20U;
    return made;
  }

  test::scratch folder_;
  failing_server server_;
  bool failed_ = false;
};

bool is_error(const std::string& reply) { return reply.starts_with('-') || reply == "closed"; }

// Runs a command under this plan; returns whether an allocation failed.
bool command_with_failure(const std::string& name, const failing_allocations::plan& failing) {
  disk_server server;
  bool failed = false;
  {
    const std::string near = server.near();
    const std::string far = server.far();
    const descriptor steady = server.connect();
    REQUIRE(server.reply_to(steady, "MSET " + near + " old " + far + " old\r\n") == "+OK\r\n");
    const descriptor client = server.connect();
    const std::string request = name == "MSET"   ? "MSET " + near + " new " + far + " new\r\n"
                                : name == "MGET" ? "MGET " + near + " " + far + "\r\n"
                                : name == "SET"  ? "SET added new\r\n"
                                : name == "GET"  ? "GET " + far + "\r\n"
                                : name == "DEL"  ? "DEL " + near + "\r\n"
                                                 : name + "\r\n";
    const std::string reply = server.reply_to(client, request, failing);
    failed = server.failed();
    CAPTURE(reply);
    CHECK_FALSE(reply.empty());
    if (!failed) CHECK_FALSE(is_error(reply));

    const std::string after = server.reply_to(steady, "MGET " + near + " " + far + " added\r\n");
    CAPTURE(after);
    CHECK(after.starts_with("*3\r\n"));
    if (name == "MSET" && reply == "+OK\r\n")
      CHECK(after.starts_with("*3\r\n$3\r\nnew\r\n$3\r\nnew"));
    if (name == "SET" && reply == "+OK\r\n") CHECK(after.ends_with("$3\r\nnew\r\n"));
    CHECK(server.reply_to(steady, "MSET " + near + " last " + far + " last\r\n") == "+OK\r\n");
    CHECK(server.reply_to(steady, "COMPACT\r\n") == "+OK\r\n");
    CHECK(server.reply_to(steady, "GET " + near + "\r\n") == "$4\r\nlast\r\n");
  }
  CHECK(server.ends());
  return failed;
}

}  // namespace

TEST_CASE("without memory for a command on the disk, every client is answered") {
  const std::vector<std::string> names =
      long_tests(0, 1) == 0
          ? std::vector<std::string>{"MGET", "SET", "COMPACT"}
          : std::vector<std::string>{"GET",    "MGET",     "SET",     "MSET",        "DEL",
                                     "DBSIZE", "FLUSHALL", "COMPACT", "BGREWRITEAOF"};
  for (const std::string& name : names) {
    for (const bool only_one_fails : {true, false}) {
      if (!only_one_fails && name != "SET" && long_tests(0, 1) == 0) continue;
      failing_allocations::plan failing{.succeed = 0, .only_one_fails = only_one_fails};
      CAPTURE(name);
      CAPTURE(only_one_fails);
      bool failed = true;
      for (; failed; ++failing.succeed) {
        CAPTURE(failing.succeed);
        failed = command_with_failure(name, failing);
      }
      CHECK(failing.succeed > 2);
    }
  }
}
