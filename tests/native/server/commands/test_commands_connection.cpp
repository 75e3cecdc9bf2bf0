#include <doctest/doctest.h>

#include "one_client.hpp"

using stallscope::test::one_client;

TEST_CASE("ping, echo, select, quit") {
  one_client client;
  CHECK(client.ask("ping") == "+PONG\r\n");
  CHECK(client.ask("ping hi") == "$2\r\nhi\r\n");
  CHECK(client.ask("ping a b") == "-ERR wrong number of arguments for 'ping' command\r\n");
  CHECK(client.ask("echo hi") == "$2\r\nhi\r\n");
  CHECK(client.ask("select 0") == "+OK\r\n");
  CHECK(client.ask("select 1") == "-ERR DB index is out of range\r\n");
  CHECK(client.ask("select 99999999999") ==
        "-ERR value is out of range, value must between -2147483648 and 2147483647\r\n");
  CHECK(client.ask("select x") == "-ERR value is not an integer or out of range\r\n");
  CHECK_FALSE(client.client.closing);
  CHECK(client.ask("quit now") == "+OK\r\n");
  CHECK(client.client.closing);
}

TEST_CASE("HELLO changes the protocol, starting with its own reply") {
  one_client client;
  CHECK(client.ask("hello").starts_with("*14\r\n"));
  CHECK(client.ask("get nothing") == "$-1\r\n");
  CHECK(client.ask("hello 3").starts_with("%7\r\n"));
  CHECK(client.ask("get nothing") == "_\r\n");
  CHECK(client.ask("config get save") == "%1\r\n$4\r\nsave\r\n$0\r\n\r\n");
  CHECK(client.ask("info a b") == "=22\r\ntxt:# Sections\r\na\r\nb\r\n\r\n");
  CHECK(client.ask("hello 4") == "-NOPROTO unsupported protocol version\r\n");
  CHECK(client.ask("hello x") == "-ERR Protocol version is not an integer or out of range\r\n");
  CHECK(client.ask("hello 2 foo") == "-ERR Syntax error in HELLO option 'foo'\r\n");
  CHECK(client.ask("hello 2 auth a").starts_with("-ERR Syntax error"));
  CHECK(client.ask("hello 2 auth a b").starts_with("-WRONGPASS"));
  CHECK(client.ask("get nothing") == "_\r\n");
  CHECK(client.ask("reset") == "+RESET\r\n");
  CHECK(client.ask("get nothing") == "$-1\r\n");
}

TEST_CASE("AUTH without a configured password") {
  one_client client;
  CHECK(client.ask("auth x").starts_with("-ERR AUTH <password> called without any password"));
  CHECK(client.ask("auth default x") == "+OK\r\n");
  CHECK(client.ask("auth a b").starts_with("-WRONGPASS"));
  CHECK(client.ask("auth a b c") == "-ERR syntax error\r\n");
}

TEST_CASE("clients can set their name and library") {
  one_client client;
  CHECK(client.ask("client id") == ":7\r\n");
  CHECK(client.ask("client setname me") == "+OK\r\n");
  CHECK(client.ask("client getname") == "$2\r\nme\r\n");
  CHECK(client.ask("client setname \"a b\"").starts_with("-ERR Client names cannot contain"));
  CHECK(client.ask("client setname \"a\\xff\"").starts_with("-ERR Client names cannot contain"));
  CHECK(client.ask("client info") == "$13\r\nid=7 name=me\n\r\n");
  CHECK(client.ask("client list") == "$10\r\nid=1\nid=2\n\r\n");
  CHECK(client.ask("client list type normal") == "$10\r\nid=1\nid=2\n\r\n");
  CHECK(client.ask("client list type PUBSUB") == "$0\r\n\r\n");
  CHECK(client.ask("client list type x") == "-ERR Unknown client type 'x'\r\n");
  CHECK(client.ask("client list id 1") == "-ERR syntax error\r\n");
  CHECK(client.ask("client setinfo lib-name redis-py") == "+OK\r\n");
  CHECK(client.ask("client setinfo LIB-VER 1.2") == "+OK\r\n");
  CHECK(client.client.library_name == "redis-py");
  CHECK(client.client.library_version == "1.2");
  CHECK(client.ask("client setinfo lib-foo x") == "-ERR Unrecognized option 'lib-foo'\r\n");
  CHECK(client.ask("client setinfo lib-ver \"a b\"").starts_with("-ERR lib-ver cannot contain"));
  CHECK(client.ask("client no-evict on") == "+OK\r\n");
  CHECK(client.ask("client no-evict maybe") == "-ERR syntax error\r\n");
  CHECK(client.ask("client setname \"\"") == "+OK\r\n");
  CHECK(client.ask("client getname") == "$-1\r\n");
}

TEST_CASE("CONFIG GET matches names and patterns, without duplicates") {
  one_client client;
  CHECK(client.ask("config get SAVE s*") == "*2\r\n$4\r\nSAVE\r\n$0\r\n\r\n");
  CHECK(client.ask("config get save appendonly") ==
        "*4\r\n$4\r\nsave\r\n$0\r\n\r\n$10\r\nappendonly\r\n$2\r\nno\r\n");
  CHECK(client.ask("config get nothing") == "*0\r\n");
}
