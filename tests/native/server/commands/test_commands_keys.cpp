#include <doctest/doctest.h>

#include "one_client.hpp"

using stallscope::test::one_client;

namespace {
const std::string nil = "$-1\r\n";
const std::string syntax = "-ERR syntax error\r\n";
const std::string not_an_integer = "-ERR value is not an integer or out of range\r\n";
}  // namespace

TEST_CASE("values are set, read, counted and deleted") {
  one_client client;
  CHECK(client.ask("get a") == nil);
  CHECK(client.ask("set a 1") == "+OK\r\n");
  CHECK(client.ask("mset b 2 c 3 b 4") == "+OK\r\n");
  CHECK(client.ask("mget a b x c") == "*4\r\n$1\r\n1\r\n$1\r\n4\r\n$-1\r\n$1\r\n3\r\n");
  CHECK(client.ask("exists a a b x") == ":3\r\n");
  CHECK(client.ask("dbsize") == ":3\r\n");
  CHECK(client.ask("strlen a") == ":1\r\n");
  CHECK(client.ask("type a") == "+string\r\n");
  CHECK(client.ask("type x") == "+none\r\n");
  CHECK(client.ask("del a b x") == ":2\r\n");
  CHECK(client.ask("flushall sync") == "+OK\r\n");
  CHECK(client.ask("flushall x") == syntax);
  CHECK(client.ask("dbsize") == ":0\r\n");
}

TEST_CASE("conditions of SET, and the old value") {
  one_client client;
  CHECK(client.ask("set a 1 xx") == nil);
  CHECK(client.ask("set a 1 nx") == "+OK\r\n");
  CHECK(client.ask("set a 2 nx") == nil);
  CHECK(client.ask("set a 2 xx") == "+OK\r\n");
  CHECK(client.ask("set a 3 get") == "$1\r\n2\r\n");
  CHECK(client.ask("set a 4 nx get") == "$1\r\n3\r\n");
  CHECK(client.ask("get a") == "$1\r\n3\r\n");
  CHECK(client.ask("set b 1 get") == nil);
  CHECK(client.ask("set c 1 xx get") == nil);
  CHECK(client.ask("setnx a 9") == ":0\r\n");
  CHECK(client.ask("setnx z 9") == ":1\r\n");
  for (const char* line : {"set a 1 nx xx", "set a 1 foo", "set a 1 ex", "set a 1 ex 1 px 1",
                           "set a 1 keepttl ex 1", "set a 1 ex 1 keepttl"}) {
    CHECK(client.ask(line) == syntax);
  }
}

TEST_CASE("every form of expiry in SET") {
  one_client client;
  client.ask("set a 1 ex 100");
  CHECK(client.ask("pttl a") == ":100000\r\n");
  client.ask("set a 1 keepttl");
  CHECK(client.ask("ttl a") == ":100\r\n");
  client.ask("set a 1 px 1499");
  CHECK(client.ask("ttl a") == ":1\r\n");
  client.ask("set a 1 exat 1700000050");
  CHECK(client.ask("ttl a") == ":50\r\n");
  client.ask("set a 1 pxat 1700000000001");
  CHECK(client.ask("pttl a") == ":1\r\n");
  client.ask("set a 1");
  CHECK(client.ask("ttl a") == ":-1\r\n");
  client.ask("setex a 5 v");
  CHECK(client.ask("ttl a") == ":5\r\n");
  client.ask("psetex a 5 v");
  CHECK(client.ask("pttl a") == ":5\r\n");
  client.keys.advance(one_client::start_ms + 5);
  CHECK(client.ask("get a") == nil);
  CHECK(client.ask("ttl a") == ":-2\r\n");
}

TEST_CASE("invalid expiries are rejected") {
  one_client client;
  const std::string refused = "-ERR invalid expire time in 'set' command\r\n";
  for (const char* time : {"ex 0", "ex -1", "px 0", "ex 9223372036854775807",
                           "px 9223372036854775807", "exat 9223372036854775", "pxat -5"}) {
    CAPTURE(time);
    const bool fits = std::string(time) == "exat 9223372036854775";
    CHECK(client.ask("set a 1 " + std::string(time)) == (fits ? "+OK\r\n" : refused));
  }
  CHECK(client.ask("set a 1 ex x") == not_an_integer);
  CHECK(client.ask("setex a 0 v") == "-ERR invalid expire time in 'setex' command\r\n");
  CHECK(client.ask("expire a 9223372036854775807") ==
        "-ERR invalid expire time in 'expire' command\r\n");
  CHECK(client.ask("pexpire a 9223372036854775807") ==
        "-ERR invalid expire time in 'pexpire' command\r\n");
  CHECK(client.ask("expire a x") == not_an_integer);
}

TEST_CASE("EXPIRE and its conditions") {
  one_client client;
  client.ask("set a 1");
  CHECK(client.ask("expire x 10") == ":0\r\n");
  CHECK(client.ask("expire a 10 xx") == ":0\r\n");
  CHECK(client.ask("expire a 10 gt") == ":0\r\n");
  CHECK(client.ask("expire a 10 lt") == ":1\r\n");
  CHECK(client.ask("expire a 20 nx") == ":0\r\n");
  CHECK(client.ask("expire a 20 xx gt") == ":1\r\n");
  CHECK(client.ask("expire a 20 gt") == ":0\r\n");
  CHECK(client.ask("expireat a 1700000007") == ":1\r\n");
  CHECK(client.ask("ttl a") == ":7\r\n");
  CHECK(client.ask("pexpireat a 1700000008001") == ":1\r\n");
  CHECK(client.ask("pttl a") == ":8001\r\n");
  CHECK(client.ask("persist a") == ":1\r\n");
  CHECK(client.ask("persist a") == ":0\r\n");
  CHECK(client.ask("expire a 1 foo") == "-ERR Unsupported option foo\r\n");
  CHECK(client.ask("expire a 1 nx lt") ==
        "-ERR NX and XX, GT or LT options at the same time are not compatible\r\n");
  CHECK(client.ask("expire a 1 gt lt") ==
        "-ERR GT and LT options at the same time are not compatible\r\n");
  CHECK(client.ask("expire a -1") == ":1\r\n");
  CHECK(client.ask("exists a") == ":0\r\n");
}

TEST_CASE("INCR keeps the expiry and checks its range") {
  one_client client;
  CHECK(client.ask("incr n") == ":1\r\n");
  client.ask("expire n 10");
  CHECK(client.ask("incrby n 41") == ":42\r\n");
  CHECK(client.ask("decrby n 44") == ":-2\r\n");
  CHECK(client.ask("decr n") == ":-3\r\n");
  CHECK(client.ask("ttl n") == ":10\r\n");
  CHECK(client.ask("get n") == "$2\r\n-3\r\n");
  client.ask("set n 9223372036854775807");
  CHECK(client.ask("incr n") == "-ERR increment or decrement would overflow\r\n");
  CHECK(client.ask("decrby n -9223372036854775808") == "-ERR decrement would overflow\r\n");
  client.ask("set n x");
  CHECK(client.ask("incr n") == not_an_integer);
  CHECK(client.ask("incrby n 1.5") == not_an_integer);
}
