#include "server/shards/metrics_server.hpp"

#include <sys/socket.h>

#include <array>
#include <cerrno>
#include <exception>
#include <string_view>
#include <system_error>
#include <utility>

#include "server/shards/http_request.hpp"
#include "server/shards/metrics_text.hpp"
#include "server/shards/shared_server.hpp"

namespace stallscope::server {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t max_connections = 16;
constexpr auto request_timeout = 5s;
constexpr auto scrape_tick_interval = 1s;

std::string answer(std::string_view status, std::string_view body, std::string_view type) {
  std::string text("HTTP/1.1 ");
  text.append(status).append("\r\nContent-Type: ").append(type);
  text.append("\r\nContent-Length: ").append(std::to_string(body.size()));
  text.append("\r\nConnection: close\r\n\r\n").append(body);
  return text;
}

std::string error_response(std::string_view status) {
  return answer(status, std::string(status) + "\n", "text/plain; charset=utf-8");
}

std::string answer_to(const http_request& request, const shared_server& server) {
  const auto line = request.line();
  if (!line) return error_response("400 Bad Request");
  if (line->method != "GET") return error_response("405 Method Not Allowed");
  if (line->target != "/metrics") return error_response("404 Not Found");
  return answer("200 OK", metrics_text(server), "text/plain; version=0.0.4; charset=utf-8");
}

}  // namespace

// One HTTP connection: reads a request, writes the response, ends.
class metrics_server::http_connection final : public reactor::event_handler {
 public:
  http_connection(const shared_server& server, reactor::reactor& loop, descriptor socket)
      : server_(server),
        loop_(loop),
        socket_(std::move(socket)),
        until_(loop.now() + request_timeout) {
    loop_.watch(socket_.get(), EPOLLIN, *this);
  }
  http_connection(const http_connection&) = delete;
  http_connection& operator=(const http_connection&) = delete;
  http_connection(http_connection&&) = delete;
  http_connection& operator=(http_connection&&) = delete;
  ~http_connection() { end(); }

  void on_events(std::uint32_t /*events*/) override {
    try {
      if (answer_.empty() ? !read() : !write()) end();
    } catch (const std::exception&) {  // out of memory: the client sees no response and retries
      end();
    }
  }
  [[nodiscard]] bool over() const { return !socket_ || loop_.now() >= until_; }

 private:
  void end() {
    if (!socket_) return;
    loop_.unwatch(socket_.get(), *this);
    socket_.reset();
  }
  // read() and write() return false when the connection is finished.
  bool read() {
    std::array<char, 2048> bytes{};
    const ssize_t got = ::recv(socket_.get(), bytes.data(), bytes.size(), 0);
    if (got <= 0) return got < 0 && (errno == EAGAIN || errno == EINTR);
    switch (request_.append({bytes.data(), static_cast<std::size_t>(got)})) {
      case http_request::state::incomplete:
        return true;
      case http_request::state::complete:
        answer_ = answer_to(request_, server_);
        break;
      case http_request::state::too_large:
        answer_ = error_response("431 Request Header Fields Too Large");
        break;
    }
    loop_.change(socket_.get(), EPOLLOUT, *this);
    return write();
  }
  bool write() {
    const std::string_view left = std::string_view(answer_).substr(sent_);
    const ssize_t sent = ::send(socket_.get(), left.data(), left.size(), MSG_NOSIGNAL);
    if (sent < 0) return errno == EAGAIN || errno == EINTR;
    sent_ += static_cast<std::size_t>(sent);
    return sent_ < answer_.size();
  }

  const shared_server& server_;
  reactor::reactor& loop_;
  descriptor socket_;
  std::chrono::nanoseconds until_;
  http_request request_;
  std::string answer_;
  std::size_t sent_ = 0;
};

metrics_server::metrics_server(shared_server& server, reactor::reactor& loop, std::uint16_t port)
    : server_(server), loop_(loop), listener_(listen_tcp("127.0.0.1", port)) {
  loop_.watch(listener_.socket.get(), EPOLLIN, *this);
}

metrics_server::~metrics_server() {
  if (tick_armed_) loop_.disarm(*this);
  loop_.unwatch(listener_.socket.get(), *this);
}

void metrics_server::on_events(std::uint32_t /*events*/) {
  descriptor socket(
      ::accept4(listener_.socket.get(), nullptr, nullptr, SOCK_CLOEXEC | SOCK_NONBLOCK));
  if (socket) {
    remove_ended();
    accept(std::move(socket));
  } else if (errno == EMFILE || errno == ENFILE) {
    // Until the next tick: epoll would report the waiting client again at once.
    listen(false);
  }
  arm_tick();
}

void metrics_server::accept(descriptor socket) {
  if (connections_.size() >= max_connections) return;
  try {
    connections_.emplace_back(server_, loop_, std::move(socket));
  } catch (const std::exception&) {  // out of memory: the client is closed and retries
  }
}

void metrics_server::remove_ended() {
  std::erase_if(connections_, [](const http_connection& connection) { return connection.over(); });
}

void metrics_server::fire() {
  tick_armed_ = false;
  remove_ended();
  const bool listens = listen(true);
  if (!connections_.empty() || !listens) arm_tick();
}

// Returns false if the kernel has no memory for it.
bool metrics_server::listen(bool on) noexcept {
  try {
    loop_.change(listener_.socket.get(), on ? EPOLLIN : 0U, *this);
    return true;
  } catch (const std::system_error&) {
    return false;
  }
}

void metrics_server::arm_tick() {
  if (tick_armed_) return;
  tick_armed_ = true;
  loop_.arm(*this, loop_.now() + scrape_tick_interval);
}

}  // namespace stallscope::server
