#include <doctest/doctest.h>

#include <set>

#include "one_client.hpp"

using stallscope::test::one_client;
namespace server = stallscope::server;

TEST_CASE("names are case-insensitive and unique") {
  one_client client;
  CHECK(client.ask("PinG") == "+PONG\r\n");
  CHECK(client.ask("CLIENT getNAME") == "$-1\r\n");
  std::set<std::string_view> names;
  for (const server::command& what : server::all_commands()) CHECK(names.insert(what.name).second);
}

TEST_CASE("every command except containers has a handler") {
  for (const server::command& what : server::all_commands()) {
    const bool container = what.name == "client" || what.name == "config";
    CHECK((what.run == nullptr) == container);
    if (container) CHECK(what.arity == -2);
  }
}

TEST_CASE("invalid requests are rejected before they run") {
  one_client client;
  CHECK(client.ask("foo a b") ==
        "-ERR unknown command 'foo', with args beginning with: 'a' 'b' \r\n");
  CHECK(client.ask("averyveryverylongname") ==
        "-ERR unknown command 'averyveryverylongname', with args beginning with: \r\n");
  CHECK(client.ask("get") == "-ERR wrong number of arguments for 'get' command\r\n");
  CHECK(client.ask("get a b") == "-ERR wrong number of arguments for 'get' command\r\n");
  CHECK(client.ask("mset a b c") == "-ERR wrong number of arguments for 'mset' command\r\n");
  CHECK(client.ask("client") == "-ERR wrong number of arguments for 'client' command\r\n");
  CHECK(client.ask("client id x") == "-ERR wrong number of arguments for 'client|id' command\r\n");
  CHECK(client.ask("config foo") == "-ERR unknown subcommand 'foo'. Try CONFIG HELP.\r\n");
  CHECK(client.ask("client averyveryverylongname") ==
        "-ERR unknown subcommand 'averyveryverylongname'. Try CLIENT HELP.\r\n");
  CHECK(client.ask("client|id a").starts_with("-ERR unknown command 'client|id'"));
}

TEST_CASE("long and binary words of unknown commands are truncated") {
  one_client client;
  const std::string reply = client.ask(std::string(500, 'x') + " " + std::string(500, 'y') + " z");
  CHECK(reply == "-ERR unknown command '" + std::string(128, 'x') +
                     "', with args beginning with: '" + std::string(128, 'y') + "' \r\n");
  CHECK(client.ask(R"("a\x00b" "c\r\nd")") ==
        "-ERR unknown command 'a', with args beginning with: 'c  d' \r\n");
}

TEST_CASE("unauthenticated clients may only authenticate") {
  one_client client;
  client.view.secret = "secret";
  client.client.authenticated = false;
  CHECK(client.ask("get a") == "-NOAUTH Authentication required.\r\n");
  CHECK(client.ask("ping") == "-NOAUTH Authentication required.\r\n");
  CHECK(client.ask("foo").starts_with("-ERR unknown command"));
  CHECK(client.ask("hello 3").starts_with("-NOAUTH HELLO must be called"));
  CHECK(client.ask("auth wrong").starts_with("-WRONGPASS"));
  CHECK(client.ask("auth secretsecret").starts_with("-WRONGPASS"));
  CHECK(client.ask("auth \"\"").starts_with("-WRONGPASS"));
  CHECK(client.ask("auth someone secret").starts_with("-WRONGPASS"));
  CHECK(client.ask("auth secret") == "+OK\r\n");
  CHECK(client.ask("ping") == "+PONG\r\n");
  CHECK(client.ask("reset") == "+RESET\r\n");
  CHECK(client.ask("ping") == "-NOAUTH Authentication required.\r\n");
  CHECK(client.ask("hello 3 auth default secret setname me").starts_with("%7\r\n"));
  CHECK(client.ask("client getname") == "$2\r\nme\r\n");
}

TEST_CASE("without memory, writes are rejected but reads and deletions are not") {
  one_client client;
  client.ask("set a b");
  client.keys.set_limit({1, stallscope::store::eviction_policy::noeviction});
  for (const char* line : {"set a c", "mset a c", "incr n", "setnx n 1"}) {
    CHECK(client.ask(line) == "-OOM command not allowed when used memory > 'maxmemory'.\r\n");
  }
  CHECK(client.ask("get a") == "$1\r\nb\r\n");
  CHECK(client.ask("del a") == ":1\r\n");
}

TEST_CASE("COMMAND describes the table") {
  one_client client;
  const std::string count = client.ask("command count");
  CHECK(client.ask("command").starts_with("*" + count.substr(1)));
  CHECK(client.ask("command list").starts_with("*" + count.substr(1)));
  CHECK(client.ask("command docs") == "*0\r\n");
  CHECK(client.ask("command info mset nothing") ==
        "*2\r\n*10\r\n$4\r\nmset\r\n:-3\r\n*2\r\n+write\r\n+denyoom\r\n:1\r\n:-1\r\n:2\r\n*0\r\n*"
        "0\r\n"
        "*0\r\n*0\r\n$-1\r\n");
}
