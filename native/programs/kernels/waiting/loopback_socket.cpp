#include "kernels/waiting/loopback_socket.hpp"

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>
#include <sys/time.h>

#include <cerrno>
#include <system_error>
#include <utility>

namespace stallscope::kernels {
namespace {

[[noreturn]] void fail(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

descriptor new_socket() {
  descriptor created(socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0));
  if (!created) fail("socket");
  return created;
}

descriptor new_listener() {
  descriptor listener = new_socket();
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  const auto* const generic = reinterpret_cast<const sockaddr*>(&address);
  if (bind(listener.get(), generic, sizeof address) != 0) fail("bind");
  if (listen(listener.get(), 1) != 0) fail("listen");
  return listener;
}

descriptor connected_to(const descriptor& listener) {
  sockaddr_in address{};
  socklen_t size = sizeof address;
  auto* const generic = reinterpret_cast<sockaddr*>(&address);
  if (getsockname(listener.get(), generic, &size) != 0) fail("getsockname");
  descriptor client = new_socket();
  if (connect(client.get(), generic, size) != 0) fail("connect");
  return client;
}

descriptor accepted_from(const descriptor& listener) {
  descriptor server(accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
  if (!server) fail("accept4");
  return server;
}

}  // namespace

loopback_socket::loopback_socket(descriptor socket) : socket_(std::move(socket)) {
  const int on = 1;
  setsockopt(socket_.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  const timeval limit{.tv_sec = 0, .tv_usec = 50'000};
  if (setsockopt(socket_.get(), SOL_SOCKET, SO_RCVTIMEO, &limit, sizeof limit) != 0)
    fail("setsockopt");
}

void loopback_socket::send() const {
  const char message = 'm';
  while (::send(socket_.get(), &message, sizeof message, MSG_NOSIGNAL) < 0) {
    if (errno == EPIPE || errno == ECONNRESET) return;  // receive() reports the end
    if (errno != EINTR) fail("send");
  }
}

bool loopback_socket::receive(thread_times& times, const std::atomic<bool>& stop) const {
  while (!stop) {
    char message = 0;
    const timed_wait wait(times, wait_state::network);
    const ssize_t size = recv(socket_.get(), &message, sizeof message, 0);
    if (size > 0) return true;
    if (size == 0) return false;
    if (errno != EINTR && errno != EAGAIN) fail("recv");
  }
  return false;
}

bool loopback_socket::receive_now() const {
  char message = 0;
  return recv(socket_.get(), &message, sizeof message, MSG_DONTWAIT) > 0;
}

loopback_connection::loopback_connection() : loopback_connection(new_listener()) {}

loopback_connection::loopback_connection(descriptor listener)
    : client(connected_to(listener)), server(accepted_from(listener)) {}

}  // namespace stallscope::kernels
