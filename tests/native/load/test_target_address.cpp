#include "load/target_address.hpp"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <unistd.h>

#include <cerrno>
#include <string>

#include "base/failure.hpp"

using stallscope::descriptor;
using stallscope::failure;
using stallscope::load::target_address;

TEST_CASE("targets are addresses with a port, or sockets") {
  for (const char* text :
       {"127.0.0.1:6379", "localhost:1", "[::1]:65535", "unix:/run/redis.sock"}) {
    CHECK(target_address(text).name() == text);
  }
  for (const std::string& text :
       {std::string("redis"), std::string("127.0.0.1"), std::string("127.0.0.1:"),
        std::string("127.0.0.1:0"), std::string("127.0.0.1:65536"), std::string("127.0.0.1:1x"),
        std::string("example.org:80"), std::string(":80"), std::string("unix:"),
        "unix:" + std::string(108, 'x')}) {
    CAPTURE(text);
    CHECK_THROWS_AS(target_address{text}, failure);
  }
}

TEST_CASE("a connection reaches the listener") {
  const descriptor listener(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  socklen_t size = sizeof address;
  REQUIRE(::bind(listener.get(), reinterpret_cast<sockaddr*>(&address), size) == 0);
  REQUIRE(::getsockname(listener.get(), reinterpret_cast<sockaddr*>(&address), &size) == 0);
  const target_address target("localhost:" + std::to_string(ntohs(address.sin_port)));
  int error = 0;
  const descriptor refused = target.begin_connection(error);
  CHECK((error == ECONNREFUSED || error == EINPROGRESS));
  REQUIRE(::listen(listener.get(), 1) == 0);
  const descriptor made = target.begin_connection(error);
  CHECK((error == 0 || error == EINPROGRESS));
  CHECK(descriptor(::accept(listener.get(), nullptr, nullptr)));
}
