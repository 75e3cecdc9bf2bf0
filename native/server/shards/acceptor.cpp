#include "server/shards/acceptor.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <new>
#include <string>
#include <string_view>
#include <system_error>
#include <utility>

#include "server/shards/shard.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {
namespace {

using namespace std::chrono_literals;

constexpr int max_accepts_per_turn = 128;
constexpr auto shortage_pause = 100ms;
constexpr std::string_view too_many = "-ERR max number of clients reached\r\n";

// Carries a client to its shard; deletes itself when it returns.
class connection_handover final : public mailbox_call {
 public:
  connection_handover(descriptor socket, session start)
      : socket_(std::move(socket)), start_(std::move(start)) {}
  [[nodiscard]] bool run_on_target(shard& there) override {
    there.adopt(std::move(socket_), start_);
    return true;
  }
  void on_returned() override { delete this; }

 private:
  descriptor socket_;
  session start_;
};

std::string text_of(const sockaddr_storage& from) {
  std::array<char, INET6_ADDRSTRLEN> text{};
  if (from.ss_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &from, sizeof four);
    ::inet_ntop(AF_INET, &four.sin_addr, text.data(), text.size());
    return std::string(text.data()).append(":").append(std::to_string(ntohs(four.sin_port)));
  }
  if (from.ss_family == AF_INET6) {
    sockaddr_in6 six{};
    std::memcpy(&six, &from, sizeof six);
    ::inet_ntop(AF_INET6, &six.sin6_addr, text.data(), text.size());
    return std::string("[")
        .append(text.data())
        .append("]:")
        .append(std::to_string(ntohs(six.sin6_port)));
  }
  return "unix";
}

descriptor reserve() { return descriptor(::open("/dev/null", O_RDONLY | O_CLOEXEC)); }

}  // namespace

acceptor::acceptor(shared_server& server, shard& home, int listening)
    : server_(server), home_(home), listening_(listening), reserve_(reserve()) {
  if (!reserve_) throw std::system_error(errno, std::generic_category(), "/dev/null");
  home_.loop().watch(listening_, EPOLLIN, *this);
  watching_ = true;
}

acceptor::~acceptor() { stop(); }

void acceptor::stop() {
  if (watching_) home_.loop().unwatch(listening_, *this);
  if (paused_) home_.loop().disarm(*this);
  watching_ = paused_ = false;
}

void acceptor::on_events(std::uint32_t /*events*/) {
  for (int i = 0; i < max_accepts_per_turn && watching_ && accept_next(); ++i) {
  }
}

bool acceptor::accept_next() {
  sockaddr_storage from{};
  socklen_t length = sizeof from;
  descriptor socket(::accept4(listening_, reinterpret_cast<sockaddr*>(&from), &length,
                              SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket) {
    assign_to_shard(std::move(socket), from);
    return true;
  }
  if (errno == EAGAIN) return false;
  // The client has already disconnected, or the error concerns this connection only.
  const bool connection_error = errno == EINTR || errno == ECONNABORTED || errno == EPROTO ||
                                errno == EPERM || errno == ENETDOWN || errno == EHOSTUNREACH;
  if (!connection_error) accept_failed(errno);
  return connection_error;
}

void acceptor::assign_to_shard(descriptor socket, const sockaddr_storage& from) {
  if (!server_.enter()) {
    [[maybe_unused]] const ssize_t sent =
        ::send(socket.get(), too_many.data(), too_many.size(), MSG_NOSIGNAL | MSG_DONTWAIT);
    return;
  }
  const int on = 1;
  // fails on unix sockets, which is harmless
  ::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  session start;
  start.id = server_.next_id();
  start.authenticated = server_.password().empty();
  try {
    server_.clients().add(start, text_of(from));
    const std::size_t to = next_shard_++ % server_.shards().size();
    if (to == home_.index()) {
      home_.adopt(std::move(socket), start);
    } else {
      // deletes itself
      home_.mailbox().post(to, *new connection_handover(std::move(socket), start));
    }
  } catch (const std::bad_alloc&) {  // no shard owns the client yet
    server_.clients().remove(start.id);
    server_.leave();
  }
}

void acceptor::accept_failed(int error) {
  if (error == EMFILE || error == ENFILE) {
    reserve_.reset();
    const descriptor turned_away(::accept4(listening_, nullptr, nullptr, SOCK_CLOEXEC));
    server_.count_rejected();
  }
  if (!reserve_) reserve_ = reserve();
  pause();
}

void acceptor::pause() {
  home_.loop().unwatch(listening_, *this);
  watching_ = false;
  paused_ = true;
  home_.loop().arm(*this, home_.loop().now() + shortage_pause);
}

void acceptor::fire() {
  if (!reserve_) reserve_ = reserve();
  try {
    home_.loop().watch(listening_, EPOLLIN, *this);
    paused_ = false;
    watching_ = true;
  } catch (const std::system_error&) {  // no memory: clients wait in the backlog
    home_.loop().arm(*this, home_.loop().now() + shortage_pause);
  }
}

}  // namespace stallscope::server
