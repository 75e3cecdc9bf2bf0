#include "load/pool_connection.hpp"

#include <sys/epoll.h>
#include <sys/socket.h>

#include <cerrno>
#include <utility>

#include "load/request_source.hpp"

namespace stallscope::load {

int pool_connection::begin(const target_address& target) {
  ++generation_;
  parser_ = {};
  int error = 0;
  socket_ = target.begin_connection(error);
  if (error == EAGAIN) socket_.reset();
  if (socket_ && (error == 0 || error == EINPROGRESS)) stage_ = stage::connecting;
  return error;
}

int pool_connection::connect_error() const {
  int error = 0;
  socklen_t size = sizeof error;
  ::getsockopt(socket_.get(), SOL_SOCKET, SO_ERROR, &error, &size);
  return error;
}

void pool_connection::start_handshake(const std::string& password) {
  stage_ = stage::handshake;
  out_.clear();
  written_ = 0;
  blocked_ = false;
  if (!password.empty()) append_request(out_, {"AUTH", password});
  append_request(out_, {"PING"});
  handshake_replies_ = password.empty() ? 1 : 2;
}

bool pool_connection::handshake_reply() {
  if (--handshake_replies_ != 0) return false;
  stage_ = stage::up;
  return true;
}

pool_connection::flushed pool_connection::flush() {
  while (stage_ >= stage::handshake && written_ < out_.size()) {
    const auto sent = ::send(socket_.get(), out_.data() + written_, out_.size() - written_,
                             MSG_NOSIGNAL | MSG_DONTWAIT);
    if (sent > 0) {
      written_ += static_cast<std::size_t>(sent);
    } else if (errno == EAGAIN) {
      return std::exchange(blocked_, true) ? flushed::same_events : flushed::changed_events;
    } else if (errno != EINTR) {
      return flushed::failed;
    }
  }
  out_.clear();
  written_ = 0;
  return std::exchange(blocked_, false) ? flushed::changed_events : flushed::same_events;
}

void pool_connection::close() {
  socket_.reset();
  stage_ = stage::down;
  blocked_ = false;
  out_.clear();
  written_ = 0;
  ++generation_;
}

std::uint32_t pool_connection::events() const noexcept {
  if (stage_ == stage::connecting) return EPOLLOUT;
  return EPOLLIN | (blocked_ ? std::uint32_t{EPOLLOUT} : 0U);
}

}  // namespace stallscope::load
