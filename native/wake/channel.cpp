#include "wake/channel.hpp"

#include <fcntl.h>
#include <linux/futex.h>
#include <netinet/in.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <new>
#include <stdexcept>
#include <string>
#include <system_error>
#include <utility>

#include "base/descriptor.hpp"
#include "wake/sockets.hpp"

namespace stallscope::wake {
namespace {

[[noreturn]] void throw_cancelled() {
  errno = ECONNRESET;
  socket_failed("the process that was to answer");
}

// Two counters in shared memory: one side increments a counter, the other side sleeps on it.
class futex_channel final : public channel {
 public:
  futex_channel() {
    void* memory =
        ::mmap(nullptr, sizeof(words), PROT_READ | PROT_WRITE, MAP_SHARED | MAP_ANONYMOUS, -1, 0);
    if (memory == MAP_FAILED) socket_failed("mmap");
    shared_ = new (memory) words;
  }
  futex_channel(const futex_channel&) = delete;
  futex_channel& operator=(const futex_channel&) = delete;
  futex_channel(futex_channel&&) = delete;
  futex_channel& operator=(futex_channel&&) = delete;
  ~futex_channel() override { ::munmap(shared_, sizeof(words)); }

  void round_trip() override {
    raise(shared_->requests);
    await(shared_->replies, replies_seen_);
    if (cancelled_.load(std::memory_order_acquire)) throw_cancelled();
  }
  void await_request() override { await(shared_->requests, requests_seen_); }
  void reply() override { raise(shared_->replies); }
  void cancel() override {
    cancelled_.store(true, std::memory_order_release);
    raise(shared_->replies);
  }

 private:
  using word = std::atomic<std::uint32_t>;
  static_assert(word::is_always_lock_free && sizeof(word) == sizeof(std::uint32_t));
  struct words {
    alignas(64) word requests{0};  // one cache line per counter
    alignas(64) word replies{0};
  };

  static void raise(word& at) {
    at.fetch_add(1, std::memory_order_release);
    ::syscall(SYS_futex, &at, FUTEX_WAKE, 1, nullptr, nullptr, 0);
  }
  static void await(word& at, std::uint32_t& seen) {
    while (at.load(std::memory_order_acquire) == seen) {
      if (::syscall(SYS_futex, &at, FUTEX_WAIT, seen, nullptr, nullptr, 0) != 0 &&
          errno != EAGAIN && errno != EINTR) {
        socket_failed("futex");
      }
    }
    ++seen;
  }

  words* shared_ = nullptr;
  std::uint32_t replies_seen_ = 0;
  std::uint32_t requests_seen_ = 0;
  std::atomic<bool> cancelled_{false};
};

// A byte per request and a byte per reply, over descriptors.
class byte_channel final : public channel {
 public:
  struct ends {
    descriptor client_reads, client_writes, server_reads, server_writes;
  };
  explicit byte_channel(ends descriptors) : ends_{std::move(descriptors)} {}

  void round_trip() override {
    send(ends_.client_writes);
    receive(ends_.client_reads);
  }
  void await_request() override { receive(ends_.server_reads); }
  void reply() override { send(ends_.server_writes); }
  void cancel() override { send(ends_.server_writes, no_reply); }

 private:
  static constexpr char message = 1;
  static constexpr char no_reply = 0;

  static void send(const descriptor& to, char byte = message) {
    while (::write(to.get(), &byte, 1) != 1) {
      if (errno != EINTR) socket_failed("write");
    }
  }
  static void receive(const descriptor& from) {
    char byte = no_reply;
    ssize_t got = 0;
    while ((got = ::read(from.get(), &byte, 1)) != 1) {
      if (got == 0) throw_cancelled();
      if (errno != EINTR) socket_failed("read");
    }
    if (byte == no_reply) throw_cancelled();
  }

  ends ends_;
};

descriptor copy_of(const descriptor& original) {
  descriptor made{::dup(original.get())};
  if (!made) socket_failed("dup");
  return made;
}

std::unique_ptr<channel> over_sockets(descriptor client, descriptor server) {
  byte_channel::ends ends;
  ends.client_reads = copy_of(client);
  ends.client_writes = std::move(client);
  ends.server_reads = copy_of(server);
  ends.server_writes = std::move(server);
  return std::make_unique<byte_channel>(std::move(ends));
}

std::unique_ptr<channel> over_pipes() {
  std::array<int, 2> there{};
  std::array<int, 2> back{};
  if (::pipe2(there.data(), O_CLOEXEC) != 0) socket_failed("pipe2");
  byte_channel::ends ends;
  ends.server_reads.reset(there[0]);
  ends.client_writes.reset(there[1]);
  if (::pipe2(back.data(), O_CLOEXEC) != 0) socket_failed("pipe2");
  ends.client_reads.reset(back[0]);
  ends.server_writes.reset(back[1]);
  return std::make_unique<byte_channel>(std::move(ends));
}

std::unique_ptr<channel> over_unix() {
  std::array<int, 2> pair{};
  if (::socketpair(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0, pair.data()) != 0)
    socket_failed("socketpair");
  return over_sockets(descriptor{pair[0]}, descriptor{pair[1]});
}

std::unique_ptr<channel> over_tcp() {
  const descriptor listener{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  descriptor client{::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0)};
  if (!listener || !client) socket_failed("socket");
  sockaddr_in address = loopback_address();
  socklen_t size = sizeof(address);
  auto* plain = reinterpret_cast<sockaddr*>(&address);
  if (::bind(listener.get(), plain, size) != 0) socket_failed("bind");
  if (::listen(listener.get(), 1) != 0) socket_failed("listen");
  if (::getsockname(listener.get(), plain, &size) != 0) socket_failed("getsockname");
  if (::connect(client.get(), plain, size) != 0) socket_failed("connect");
  sockaddr_in ours{};
  if (::getsockname(client.get(), reinterpret_cast<sockaddr*>(&ours), &size) != 0) {
    socket_failed("getsockname");
  }
  while (true) {  // another process may have connected first
    sockaddr_in peer{};
    size = sizeof(peer);
    descriptor server{
        ::accept4(listener.get(), reinterpret_cast<sockaddr*>(&peer), &size, SOCK_CLOEXEC)};
    if (!server) socket_failed("accept4");
    if (peer.sin_port != ours.sin_port) continue;
    without_delay(client);
    without_delay(server);
    return over_sockets(std::move(client), std::move(server));
  }
}

}  // namespace

transport transport_of(std::string_view name) {
  if (name == "futex") return transport::futex;
  if (name == "pipe") return transport::pipe;
  if (name == "unix") return transport::unix_socket;
  if (name == "tcp") return transport::tcp;
  throw std::invalid_argument("no transport is called " + std::string(name));
}

std::unique_ptr<channel> open_channel(transport kind) {
  switch (kind) {
    case transport::futex:
      return std::make_unique<futex_channel>();
    case transport::pipe:
      return over_pipes();
    case transport::unix_socket:
      return over_unix();
    case transport::tcp:
      return over_tcp();
  }
  throw std::invalid_argument("no such transport");
}

}  // namespace stallscope::wake
