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

constexpr unsigned opened_at_a_time = 128;
constexpr std::uint64_t patience_ns = 10 * second_ns;
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
  std::uint64_t deadline_ns = now_ns_ + patience_ns;
  while (up_ < connections_.size() && !woken_) {
    while (begun < connections_.size() && begun - up_ < opened_at_a_time) open(begun++);
    if (up_ != up_before) deadline_ns = now_ns_ + patience_ns;
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
  connection& one = connections_[index];
  ++one.generation;
  one.parser = {};
  int error = 0;
  one.socket = target_.begin_connection(error);
  if (error == EAGAIN) {  // a unix socket whose backlog is full
    one.socket.reset();
    retries_.push_front({now_ns_ + full_backlog_ns, index});
    return;
  }
  if (!one.socket || (error != 0 && error != EINPROGRESS)) {
    lose(index, std::strerror(error));
    return;
  }
  one.now = stage::connecting;
  watch(index, EPOLL_CTL_ADD);
}

void connection_pool::retry_due() {
  refresh_now();
  for (std::size_t i = 0; i < opened_at_a_time; ++i) {
    if (retries_.empty() || retries_.front().at_ns > now_ns_) return;
    const unsigned index = retries_.front().connection;
    retries_.pop_front();
    open(index);
  }
}

void connection_pool::greet(unsigned index) {
  connection& one = connections_[index];
  one.now = stage::greeting;
  one.out.clear();
  one.written = 0;
  one.waits_to_write = false;
  if (!password_.empty()) append_request(one.out, {"AUTH", password_});
  append_request(one.out, {"PING"});
  one.greetings = password_.empty() ? 1 : 2;
  watch(index, EPOLL_CTL_MOD);
  flush(index);
}

void connection_pool::greeted(unsigned index) {
  connection& one = connections_[index];
  const std::string_view text = one.parser.text();
  // A server that knows no PING has answered none the less.
  if (one.parser.is_error() && !text.starts_with("ERR unknown command")) {
    lose(index, printable(text));
    return;
  }
  if (--one.greetings != 0) return;
  one.now = stage::up;
  ++up_;
  user_.connection_up(index);
}

void connection_pool::lose(unsigned index, std::string_view why) {
  if (!opened_) throw refused(target_, why);
  connection& one = connections_[index];
  const bool was_up = one.now == stage::up;
  one.socket.reset();
  one.now = stage::down;
  one.out.clear();
  one.written = 0;
  ++one.generation;
  retries_.push_back({now_ns_ + retry_after_ns, index});
  up_ -= was_up;
  if (was_up) user_.connection_down(index, why);
}

}  // namespace stallscope::load
