// Clients, the front end and a server in one process.
#include "wake/front_end.hpp"

#include <doctest/doctest.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <string>
#include <thread>

#include "base/stop_flag.hpp"

using stallscope::descriptor;
using stallscope::wake::front_end;

namespace {

sockaddr_in loopback(std::uint16_t port) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

// A lost byte fails the test instead of stopping it.
void limit_waits(const descriptor& socket) {
  const timeval limit{.tv_sec = 20, .tv_usec = 0};
  REQUIRE(::setsockopt(socket.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof(limit)) == 0);
  REQUIRE(::setsockopt(socket.get(), SOL_SOCKET, SO_SNDTIMEO, &limit, sizeof(limit)) == 0);
}

descriptor connect_to(std::uint16_t port) {
  descriptor client{::socket(AF_INET, SOCK_STREAM, 0)};
  const sockaddr_in address = loopback(port);
  REQUIRE(::connect(client.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) ==
          0);
  limit_waits(client);
  return client;
}

// A listening socket, whose connections the test serves itself.
struct listening_server {
  listening_server() : socket{::socket(AF_INET, SOCK_STREAM, 0)} {
    sockaddr_in address = loopback(0);
    socklen_t size = sizeof(address);
    auto* plain = reinterpret_cast<sockaddr*>(&address);
    REQUIRE(::bind(socket.get(), plain, size) == 0);
    REQUIRE(::listen(socket.get(), 8) == 0);
    limit_waits(socket);  // of accept()
    REQUIRE(::getsockname(socket.get(), plain, &size) == 0);
    port = ntohs(address.sin_port);
  }
  [[nodiscard]] descriptor accept() const {
    descriptor accepted{::accept(socket.get(), nullptr, nullptr)};
    REQUIRE(accepted);
    limit_waits(accepted);
    return accepted;
  }
  descriptor socket;
  std::uint16_t port = 0;
};

// Serves on a thread until the end of the block.
struct serving_front_end {
  explicit serving_front_end(std::uint16_t server_port) : relay{server_port} {
    stallscope::stop_flag = false;
    thread = std::thread([this] { relay.serve(); });
  }
  ~serving_front_end() {
    stallscope::request_stop();
    const descriptor waking = descriptor{::socket(AF_INET, SOCK_STREAM, 0)};
    const sockaddr_in address = loopback(relay.port());
    ::connect(waking.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address));
    thread.join();
    stallscope::stop_flag = false;
  }
  front_end relay;
  std::thread thread;
};

void write_all(const descriptor& to, const std::string& text) {
  REQUIRE(::send(to.get(), text.data(), text.size(), MSG_NOSIGNAL) ==
          static_cast<ssize_t>(text.size()));
}

std::string read_some(const descriptor& from, std::size_t bytes) {
  std::string text(bytes, '\0');
  const ssize_t got = ::recv(from.get(), text.data(), bytes, MSG_WAITALL);
  text.resize(got > 0 ? static_cast<std::size_t>(got) : 0);
  return text;
}

}  // namespace

TEST_CASE("a front end passes requests to the server and replies to the client that asked") {
  const listening_server server;
  const serving_front_end relaying(server.port);
  const descriptor first = connect_to(relaying.relay.port());
  const descriptor first_at_server = server.accept();
  const descriptor second = connect_to(relaying.relay.port());
  const descriptor second_at_server = server.accept();
  write_all(first, "one");
  write_all(second, "two");
  CHECK(read_some(first_at_server, 3) == "one");
  CHECK(read_some(second_at_server, 3) == "two");
  write_all(second_at_server, "TWO");
  write_all(first_at_server, "ONE");
  CHECK(read_some(first, 3) == "ONE");
  CHECK(read_some(second, 3) == "TWO");
}

TEST_CASE("a front end keeps the bytes for a peer that reads late") {
  const listening_server server;
  const serving_front_end relaying(server.port);
  const descriptor client = connect_to(relaying.relay.port());
  const descriptor at_server = server.accept();
  std::string sent;
  for (int n = 0; sent.size() < 4'000'000; ++n) sent += std::to_string(n);
  std::thread writer([&] {
    for (std::size_t at = 0; at < sent.size();) {
      const ssize_t wrote = ::send(client.get(), sent.data() + at, sent.size() - at, MSG_NOSIGNAL);
      if (wrote <= 0) return;
      at += static_cast<std::size_t>(wrote);
    }
    ::shutdown(client.get(), SHUT_WR);
  });
  CHECK(read_some(at_server, sent.size() + 1) == sent);
  writer.join();
}

TEST_CASE("a front end closes a client's connection when the server closes its own") {
  const listening_server server;
  const serving_front_end relaying(server.port);
  const descriptor client = connect_to(relaying.relay.port());
  {
    const descriptor at_server = server.accept();
    write_all(at_server, "bye");
  }
  CHECK(read_some(client, 100) == "bye");
}

TEST_CASE("a front end without a server closes its clients' connections") {
  std::uint16_t unused = 0;
  {
    const listening_server closed;
    unused = closed.port;
  }
  const serving_front_end relaying(unused);
  const descriptor client = connect_to(relaying.relay.port());
  CHECK(read_some(client, 1).empty());
}
