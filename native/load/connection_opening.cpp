// How the pool's connections come up, and come up again.
#include <sys/epoll.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/failure.hpp"
#include "load/connection_pool.hpp"
#include "load/options.hpp"
#include "load/request_source.hpp"

namespace stallscope::load {
namespace {

constexpr unsigned max_opening = 128;
constexpr std::uint64_t connect_timeout_ns = 10 * second_ns;
constexpr std::uint64_t retry_after_ns = second_ns / 10;
constexpr std::uint64_t full_backlog_ns = second_ns / 1000;

failure refused(const target_address& target, std::string_view why) {
  return {exit_code::target_failed,
          "the target " + target.name() + " cannot be loaded: " + std::string(why),
          "see that a RESP server listens there and accepts this number of connections"};
}

// Letters of a stranger's text that a terminal shows as they are.
std::string printable(std::string_view text) {
  std::string shown(text);
  std::ranges::replace_if(
      shown, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return shown;
}

}  // namespace

bool connection_pool::open_all() {
  unsigned begun = 0;
  unsigned up_before = 0;
  refresh_now();
  std::uint64_t deadline_ns = now_ns_ + connect_timeout_ns;
  while (up_ < connections_.size() && !woken_) {
    while (begun < connections_.size() && begun - up_ < max_opening) open(begun++);
    if (up_ != up_before) deadline_ns = now_ns_ + connect_timeout_ns;
    up_before = up_;
    if (now_ns_ >= deadline_ns) {
      throw refused(target_, "no connection was answered for ten seconds");
    }
    turn(deadline_ns, 0);
  }
  opened_ = !woken_;
  return opened_;
}

void connection_pool::open(unsigned index) {
  connection& peer = connections_[index];
  ++peer.generation;
  peer.parser = {};
  int error = 0;
  peer.socket = target_.begin_connection(error);
  if (error == EAGAIN) {  // a unix socket whose backlog is full
    peer.socket.reset();
    retries_.push_front({now_ns_ + full_backlog_ns, index});
    return;
  }
  if (!peer.socket || (error != 0 && error != EINPROGRESS)) {
    close_and_retry(index, std::strerror(error));
    return;
  }
  peer.now = stage::connecting;
  watch(index, EPOLL_CTL_ADD);
}

void connection_pool::retry_due() {
  refresh_now();
  for (std::size_t i = 0; i < max_opening; ++i) {
    if (retries_.empty() || retries_.front().at_ns > now_ns_) return;
    const unsigned index = retries_.front().connection;
    retries_.pop_front();
    open(index);
  }
}

void connection_pool::start_handshake(unsigned index) {
  connection& peer = connections_[index];
  peer.now = stage::handshake;
  peer.out.clear();
  peer.written = 0;
  peer.waits_to_write = false;
  if (!password_.empty()) append_request(peer.out, {"AUTH", password_});
  append_request(peer.out, {"PING"});
  peer.handshake_replies = password_.empty() ? 1 : 2;
  watch(index, EPOLL_CTL_MOD);
  flush(index);
}

void connection_pool::handle_handshake_reply(unsigned index) {
  connection& peer = connections_[index];
  const std::string_view text = peer.parser.text();
  // A server that knows no PING has answered none the less.
  if (peer.parser.is_error() && !text.starts_with("ERR unknown command")) {
    close_and_retry(index, printable(text));
    return;
  }
  if (--peer.handshake_replies != 0) return;
  peer.now = stage::up;
  ++up_;
  user_.connection_up(index);
}

void connection_pool::close_and_retry(unsigned index, std::string_view why) {
  if (!opened_) throw refused(target_, why);
  connection& peer = connections_[index];
  const bool was_up = peer.now == stage::up;
  peer.socket.reset();
  peer.now = stage::down;
  peer.out.clear();
  peer.written = 0;
  ++peer.generation;
  retries_.push_back({now_ns_ + retry_after_ns, index});
  up_ -= was_up;
  if (was_up) user_.connection_down(index, why);
}

}  // namespace stallscope::load
