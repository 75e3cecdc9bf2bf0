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
#include "load/options.hpp"

namespace stallscope::load {
namespace {

constexpr std::size_t buffer_bytes = std::size_t{64} << 10U;
constexpr std::size_t max_events_per_turn = 128;
// Each turn is a look at the clock: a thread that was stopped knows it by the next.
constexpr std::uint64_t longest_wait_ns = second_ns / 100;
constexpr std::uint64_t longest_turn_ns = second_ns / 500;
constexpr std::uint64_t latest_wake_ns = second_ns / 5'000;
constexpr std::uint64_t waker_key = ~std::uint64_t{0};

[[noreturn]] void throw_errno(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

// Waits with the precision of nanoseconds, on kernels before 5.11 as well.
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

}  // namespace

connection_pool::connection_pool(const target_address& target, std::string password,
                                 unsigned connections, connection_listener& user)
    : target_{target},
      password_{std::move(password)},
      user_{user},
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
  const std::uint64_t one = 1;
  if (::write(waker_.get(), &one, sizeof one) < 0) return;  // it is full: awake already
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
    // An event of a connection that was lost earlier in this turn is not its successor's.
    if (connections_[index].generation != static_cast<std::uint32_t>(event.data.u64 >> 32U)) {
      continue;
    }
    handle(index, event.events);
    user_.event_done();
  }
  if (count <= 0) user_.event_done();
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
    user_.stalled(waited_until_ns_, begun);
  }
  if (now_ns_ > begun + timeout + latest_wake_ns) user_.stalled(begun + timeout, now_ns_);
  waited_until_ns_ = now_ns_;
  if (count == 0 && timeout == 0 && begun < until_ns) spin_ns_ += now_ns_ - begun;
  return count;
}

void connection_pool::handle(unsigned index, std::uint32_t events) {
  connection& peer = connections_[index];
  if (peer.now == stage::connecting) {
    int error = 0;
    socklen_t size = sizeof error;
    ::getsockopt(peer.socket.get(), SOL_SOCKET, SO_ERROR, &error, &size);
    if (error != 0) {
      close_and_retry(index, std::strerror(error));
    } else {
      start_handshake(index);
    }
    return;
  }
  if ((events & EPOLLOUT) != 0) flush(index);
  if ((events & ~EPOLLOUT) != 0 && peer.now != stage::down) read(index);
}

void connection_pool::flush(unsigned index) {
  connection& peer = connections_[index];
  while (peer.now >= stage::handshake && peer.written < peer.out.size()) {
    const auto wrote = ::send(peer.socket.get(), peer.out.data() + peer.written,
                              peer.out.size() - peer.written, MSG_NOSIGNAL | MSG_DONTWAIT);
    if (wrote > 0) {
      peer.written += static_cast<std::size_t>(wrote);
    } else if (errno == EAGAIN) {
      if (!peer.waits_to_write) {
        peer.waits_to_write = true;
        watch(index, EPOLL_CTL_MOD);
      }
      return;
    } else if (errno != EINTR) {
      close_and_retry(index, "reset");
      return;
    }
  }
  peer.out.clear();
  peer.written = 0;
  if (peer.waits_to_write) {
    peer.waits_to_write = false;
    watch(index, EPOLL_CTL_MOD);
  }
}

void connection_pool::read(unsigned index) {
  const auto got =
      ::recv(connections_[index].socket.get(), buffer_.get(), buffer_bytes, MSG_DONTWAIT);
  now_ns_ = monotonic_ns();
  if (got > 0) {
    parse(index, {buffer_.get(), static_cast<std::size_t>(got)});
  } else if (got == 0) {
    close_and_retry(index, "closed");
  } else if (errno != EAGAIN && errno != EINTR) {
    close_and_retry(index, "reset");
  }
}

void connection_pool::parse(unsigned index, std::string_view bytes) {
  connection& peer = connections_[index];
  while (!bytes.empty()) {
    bytes.remove_prefix(peer.parser.consume(bytes));
    if (peer.parser.failed()) {
      close_and_retry(index, "no-resp");
      return;
    }
    if (!peer.parser.complete()) return;
    if (peer.now == stage::up) {
      user_.replied(index, peer.parser);
    } else {
      handle_handshake_reply(index);
      if (peer.now == stage::down) return;
    }
  }
}

void connection_pool::watch(unsigned index, int operation) {
  connection& peer = connections_[index];
  const std::uint32_t events = peer.now == stage::connecting
                                   ? EPOLLOUT
                                   : EPOLLIN | (peer.waits_to_write ? std::uint32_t{EPOLLOUT} : 0U);
  epoll_event event{.events = events,
                    .data = {.u64 = (std::uint64_t{peer.generation} << 32U) | index}};
  if (::epoll_ctl(epoll_.get(), operation, peer.socket.get(), &event) != 0) {
    throw_errno("epoll_ctl");
  }
}

}  // namespace stallscope::load
