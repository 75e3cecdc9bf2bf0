#include "wake/front_end.hpp"

#include <netinet/in.h>
#include <sys/epoll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <cerrno>
#include <span>
#include <utility>

#include "base/stop_flag.hpp"
#include "wake/sockets.hpp"

namespace stallscope::wake {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{16} * 1024;
constexpr int backlog = 1024;

}  // namespace

// Bytes on their way from one socket to the other.
struct front_end::direction {
  int from = -1;
  int to = -1;
  std::size_t begin = 0;
  std::size_t end = 0;
  bool closed = false;     // `from` has sent its last byte
  bool passed_on = false;  // `to` was shut down after the last byte
  std::array<char, buffer_bytes> bytes;

  [[nodiscard]] bool empty() const noexcept { return begin == end; }
};

struct front_end::pair {
  descriptor client;
  descriptor server;
  direction request;
  direction reply;
};

front_end::front_end(std::uint16_t server_port) : server_port_{server_port} {
  listener_.reset(::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!listener_) socket_failed("socket");
  sockaddr_in address = loopback_address();
  socklen_t size = sizeof(address);
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener_.get(), plain, size) != 0) socket_failed("bind");
  if (::listen(listener_.get(), backlog) != 0) socket_failed("listen");
  if (::getsockname(listener_.get(), plain, &size) != 0) socket_failed("getsockname");
  port_ = ntohs(address.sin_port);
  epoll_.reset(::epoll_create1(EPOLL_CLOEXEC));
  if (!epoll_) socket_failed("epoll_create1");
  watch(listener_, EPOLLIN);
}

front_end::~front_end() = default;

void front_end::watch(const descriptor& socket, std::uint32_t events) {
  epoll_event event{};
  event.events = events;
  event.data.fd = socket.get();
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, socket.get(), &event) != 0) {
    socket_failed("epoll_ctl");
  }
}

void front_end::stop_listening() {
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_DEL, listener_.get(), nullptr) != 0) {
    socket_failed("epoll_ctl");
  }
  listening_ = false;
}

void front_end::listen_again() {
  watch(listener_, EPOLLIN);
  listening_ = true;
}

void front_end::serve() {
  std::array<epoll_event, 64> events{};
  while (!stop_requested()) {
    const int ready =
        ::epoll_wait(epoll_.get(), events.data(), static_cast<int>(events.size()), -1);
    if (ready < 0) {
      if (errno == EINTR) continue;
      socket_failed("epoll_wait");
    }
    for (const epoll_event& event : std::span(events).first(static_cast<std::size_t>(ready))) {
      if (event.data.fd == listener_.get()) {
        accept_all();
      } else if (const auto at = pairs_.find(event.data.fd); at != pairs_.end()) {
        const std::shared_ptr<pair> both = at->second;
        if ((event.events & EPOLLERR) != 0 || !advance(*both, event)) {
          pairs_.erase(both->client.get());
          pairs_.erase(both->server.get());
          if (!listening_) listen_again();
        }
      }  // else closed by an earlier event of this round
    }
  }
}

void front_end::accept_all() {
  while (true) {
    descriptor client{::accept4(listener_.get(), nullptr, nullptr, SOCK_CLOEXEC)};
    if (!client) {
      // Without a free descriptor the listener would wake the thread without end.
      if (errno == EMFILE || errno == ENFILE) stop_listening();
      return;
    }
    add(std::move(client));
  }
}

void front_end::add(descriptor client) {
  descriptor server{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  const sockaddr_in address = loopback_address(server_port_);
  // Loopback connects at once or is refused; a refusal closes the client's connection.
  if (!server ||
      ::connect(server.get(), reinterpret_cast<const sockaddr*>(&address), sizeof(address)) != 0) {
    return;
  }
  without_delay(client);
  without_delay(server);
  const auto both = std::make_shared<pair>();
  both->request.from = both->reply.to = client.get();
  both->request.to = both->reply.from = server.get();
  both->client = std::move(client);
  both->server = std::move(server);
  pairs_.emplace(both->client.get(), both);
  pairs_.emplace(both->server.get(), both);
  watch(both->client, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
  watch(both->server, EPOLLIN | EPOLLOUT | EPOLLRDHUP | EPOLLET);
}

bool front_end::advance(pair& both, const epoll_event& event) {
  const bool of_client = event.data.fd == both.client.get();
  direction& incoming = of_client ? both.request : both.reply;
  direction& outgoing = of_client ? both.reply : both.request;
  // Bytes that did not fit before; then their source is read on, as it may have no new event.
  if (!outgoing.empty() && !move(outgoing, true)) return false;
  if (!move(incoming, (event.events & (EPOLLRDHUP | EPOLLHUP)) != 0)) return false;
  return !(both.request.passed_on && both.reply.passed_on);
}

// `ends`: the last byte may have arrived, which causes no further event.
bool front_end::move(direction& from_to, bool ends) {
  for (bool drained = false;;) {
    while (!from_to.empty()) {
      const ssize_t sent = ::send(from_to.to, from_to.bytes.data() + from_to.begin,
                                  from_to.end - from_to.begin, MSG_NOSIGNAL | MSG_DONTWAIT);
      if (sent >= 0) {
        from_to.begin += static_cast<std::size_t>(sent);
      } else if (errno != EINTR) {
        return errno == EAGAIN;
      }
    }
    if (drained || from_to.closed) break;
    const ssize_t got =
        ::recv(from_to.from, from_to.bytes.data(), from_to.bytes.size(), MSG_DONTWAIT);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno == EAGAIN;
    from_to.begin = 0;
    from_to.end = static_cast<std::size_t>(got);
    from_to.closed = got == 0;
    // A short read has emptied the socket, and more bytes cause another event.
    drained = !ends && from_to.end < from_to.bytes.size();
  }
  if (from_to.closed && !from_to.passed_on) {
    ::shutdown(from_to.to, SHUT_WR);
    from_to.passed_on = true;
  }
  return true;
}

}  // namespace stallscope::wake
