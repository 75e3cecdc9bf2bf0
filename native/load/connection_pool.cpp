#include "load/connection_pool.hpp"

#include <poll.h>
#include <sys/eventfd.h>
#include <sys/socket.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <span>
#include <system_error>

#include "base/clock.hpp"
#include "base/failure.hpp"
#include "load/options.hpp"

namespace stallscope::load {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} << 10U;
constexpr std::size_t max_events_per_turn = 128;
// Every turn reads the clock, so that a stall of the thread is noticed in the next turn.
constexpr std::uint64_t longest_wait_ns = second_ns / 100;
constexpr std::uint64_t longest_turn_ns = second_ns / 500;
constexpr std::uint64_t latest_wake_ns = second_ns / 5'000;
constexpr std::uint64_t waker_key = ~std::uint64_t{0};

[[noreturn]] void throw_errno(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

// Waits with nanosecond precision, also on kernels before 5.11.
int wait_ns(int epoll, std::span<epoll_event> events, std::uint64_t timeout_ns) {
  const auto size = static_cast<int>(events.size());
  if (timeout_ns == 0) return ::epoll_wait(epoll, events.data(), size, 0);
  const timespec timeout{static_cast<time_t>(timeout_ns / second_ns),
                         static_cast<long>(timeout_ns % second_ns)};
  static thread_local bool has_pwait2 = true;
  if (has_pwait2) {
    const int got = ::epoll_pwait2(epoll, events.data(), size, &timeout, nullptr);
    if (got >= 0 || errno != ENOSYS) return got;
    has_pwait2 = false;
  }
  pollfd ready{epoll, POLLIN, 0};
  const int polled = ::ppoll(&ready, 1, &timeout, nullptr);
  return polled <= 0 ? polled : ::epoll_wait(epoll, events.data(), size, 0);
}

constexpr unsigned max_opening = 128;
constexpr std::uint64_t connect_timeout_ns = 10 * second_ns;
constexpr std::uint64_t retry_after_ns = second_ns / 10;
constexpr std::uint64_t full_backlog_ns = second_ns / 1000;

failure refused(const target_address& target, std::string_view why) {
  return {exit_code::target_failed,
          "the target " + target.name() + " cannot be loaded: " + std::string(why),
          "check that a RESP server listens there and accepts this number of connections"};
}

// Replaces control characters in a text of the target.
std::string printable(std::string_view text) {
  std::string shown(text);
  std::ranges::replace_if(
      shown, [](char letter) { return letter < ' ' || letter > '~'; }, '?');
  return shown;
}

}  // namespace

connection_pool::connection_pool(const target_address& target, std::string password,
                                 unsigned connections, connection_listener& listener)
    : target_{target},
      password_{std::move(password)},
      listener_{listener},
      connections_(connections),
      epoll_{::epoll_create1(EPOLL_CLOEXEC)},
      waker_{::eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK)},
      buffer_{std::make_unique_for_overwrite<char[]>(buffer_bytes)},
      events_(max_events_per_turn) {
  if (!epoll_) throw_errno("epoll_create1");
  if (!waker_) throw_errno("eventfd");
  epoll_event event{.events = EPOLLIN, .data = {.u64 = waker_key}};
  if (::epoll_ctl(epoll_.get(), EPOLL_CTL_ADD, waker_.get(), &event) != 0) throw_errno("epoll_ctl");
}

void connection_pool::refresh_now() noexcept { now_ns_ = monotonic_ns(); }

void connection_pool::wake() noexcept {
  const std::uint64_t increment = 1;
  if (::write(waker_.get(), &increment, sizeof increment) < 0)
    return;  // the counter is full: the pool is already awake
}

void connection_pool::turn(std::uint64_t until_ns, std::uint64_t spin_ns) {
  if (!retries_.empty()) {
    retry_due();
    if (!retries_.empty()) until_ns = std::min(until_ns, retries_.front().at_ns);
  }
  const int count = wait_for_events(until_ns, spin_ns);
  for (int i = 0; i < count; ++i) {
    const epoll_event& event = events_[static_cast<std::size_t>(i)];
    if (event.data.u64 == waker_key) {
      std::uint64_t times = 0;
      woken_ = ::read(waker_.get(), &times, sizeof times) > 0;
      continue;
    }
    const auto index = static_cast<unsigned>(event.data.u64);
    // Ignore events of a socket that was closed earlier in this turn.
    if (connections_[index].generation() != static_cast<std::uint32_t>(event.data.u64 >> 32U)) {
      continue;
    }
    handle(index, event.events);
    listener_.event_done();
  }
  if (count <= 0) listener_.event_done();
}

int connection_pool::wait_for_events(std::uint64_t until_ns, std::uint64_t spin_ns) {
  const std::uint64_t begun = monotonic_ns();
  const std::uint64_t sleep_until = until_ns > spin_ns ? until_ns - spin_ns : 0;
  const std::uint64_t timeout =
      sleep_until > begun ? std::min(sleep_until - begun, longest_wait_ns) : 0;
  const int count = wait_ns(epoll_.get(), events_, timeout);
  if (count < 0 && errno != EINTR) throw_errno("epoll_wait");
  now_ns_ = monotonic_ns();
  if (waited_until_ns_ != 0 && begun > waited_until_ns_ + longest_turn_ns) {
    listener_.stalled(waited_until_ns_, begun);
  }
  if (now_ns_ > begun + timeout + latest_wake_ns) listener_.stalled(begun + timeout, now_ns_);
  waited_until_ns_ = now_ns_;
  if (count == 0 && timeout == 0 && begun < until_ns) spin_ns_ += now_ns_ - begun;
  return count;
}

void connection_pool::handle(unsigned index, std::uint32_t events) {
  pool_connection& peer = connections_[index];
  if (peer.state() == pool_connection::stage::connecting) {
    if (const int error = peer.connect_error(); error != 0) {
      close_and_retry(index, std::strerror(error));
    } else {
      connected(index);
    }
    return;
  }
  if ((events & EPOLLOUT) != 0) flush(index);
  if ((events & ~EPOLLOUT) != 0 && peer.state() != pool_connection::stage::down) read(index);
}

void connection_pool::flush(unsigned index) {
  switch (connections_[index].flush()) {
    case pool_connection::flushed::same_events:
      break;
    case pool_connection::flushed::changed_events:
      watch(index, EPOLL_CTL_MOD);
      break;
    case pool_connection::flushed::failed:
      close_and_retry(index, "reset");
      break;
  }
}

void connection_pool::read(unsigned index) {
  const auto bytes =
      ::recv(connections_[index].socket(), buffer_.get(), buffer_bytes, MSG_DONTWAIT);
  now_ns_ = monotonic_ns();
  if (bytes > 0) {
    parse(index, {buffer_.get(), static_cast<std::size_t>(bytes)});
  } else if (bytes == 0) {
    close_and_retry(index, "closed");
  } else if (errno != EAGAIN && errno != EINTR) {
    close_and_retry(index, "reset");
  }
}

void connection_pool::parse(unsigned index, std::string_view bytes) {
  pool_connection& peer = connections_[index];
  reply_parser& parser = peer.parser();
  while (!bytes.empty()) {
    bytes.remove_prefix(parser.consume(bytes));
    if (parser.failed()) {
      close_and_retry(index, "no-resp");
      return;
    }
    if (!parser.complete()) return;
    if (peer.is_up()) {
      listener_.replied(index, parser);
    } else {
      handle_handshake_reply(index);
      if (peer.state() == pool_connection::stage::down) return;
    }
  }
}

void connection_pool::watch(unsigned index, int operation) {
  const pool_connection& peer = connections_[index];
  epoll_event event{.events = peer.events(),
                    .data = {.u64 = (std::uint64_t{peer.generation()} << 32U) | index}};
  if (::epoll_ctl(epoll_.get(), operation, peer.socket(), &event) != 0) throw_errno("epoll_ctl");
}

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
      throw refused(target_, "no connection was answered for ten seconds, with " +
                                 std::to_string(up_) + " of " +
                                 std::to_string(connections_.size()) + " open");
    }
    turn(deadline_ns, 0);
  }
  opened_ = !woken_;
  return opened_;
}

void connection_pool::open(unsigned index) {
  const int error = connections_[index].begin(target_);
  if (error == EAGAIN) {
    retries_.push_front({now_ns_ + full_backlog_ns, index});
  } else if (connections_[index].state() != pool_connection::stage::connecting) {
    close_and_retry(index, std::strerror(error));
  } else {
    watch(index, EPOLL_CTL_ADD);
  }
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

void connection_pool::connected(unsigned index) {
  connections_[index].start_handshake(password_);
  watch(index, EPOLL_CTL_MOD);
  flush(index);
}

void connection_pool::handle_handshake_reply(unsigned index) {
  pool_connection& peer = connections_[index];
  const std::string_view text = peer.parser().text();
  // A server without PING has answered nevertheless.
  if (peer.parser().is_error() && !text.starts_with("ERR unknown command")) {
    close_and_retry(index, printable(text));
  } else if (peer.handshake_reply()) {
    ++up_;
    listener_.connection_up(index);
  }
}

void connection_pool::close_and_retry(unsigned index, std::string_view why) {
  if (!opened_) {
    throw refused(target_, std::string(why) + ", with " + std::to_string(up_) + " of " +
                               std::to_string(connections_.size()) + " connections open");
  }
  pool_connection& peer = connections_[index];
  const bool was_up = peer.is_up();
  peer.close();
  retries_.push_back({now_ns_ + retry_after_ns, index});
  up_ -= was_up;
  if (was_up) listener_.connection_down(index, why);
}

}  // namespace stallscope::load
