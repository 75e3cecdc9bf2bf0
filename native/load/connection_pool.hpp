// The connections of one loader thread: opens them with a handshake, sends the requests put into
// their buffers, reads replies, and reopens lost connections.
//
//   connection_pool pool(target, password, 64, listener);
//   if (pool.open_all()) {
//     pool.out(connection) += request;
//     pool.flush(connection);
//     pool.turn(until_ns, spin_ns);             // listener.replied(connection, reply)
//   }
//
// Fair: a turn reads each ready connection once, at most 64 KiB. Cost: an epoll_wait per turn, a
// recv and a send per event. Thread: one, except for wake().
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "load/pool_connection.hpp"
#include "load/reply_parser.hpp"
#include "load/target_address.hpp"

namespace stallscope::load {

// Receives the events of a pool. It may add and flush requests in event_done() only.
class connection_listener {
 public:
  virtual ~connection_listener() = default;
  virtual void connection_up(unsigned connection) = 0;
  virtual void replied(unsigned connection, const reply_parser& reply) = 0;
  virtual void connection_down(unsigned connection, std::string_view why) = 0;
  virtual void event_done() = 0;
  // No event was handled in this time, although some may have arrived.
  virtual void stalled(std::uint64_t from_ns, std::uint64_t to_ns) = 0;
};

class connection_pool {
 public:
  // Without a password, AUTH is not sent. Throws std::system_error.
  connection_pool(const target_address& target, std::string password, unsigned connections,
                  connection_listener& listener);

  // Opens all connections, 128 at a time, and waits for a reply to PING on each. Returns false
  // after wake(). Throws failure if the target rejects one or makes no progress for ten seconds.
  bool open_all();

  // The output of a connection that is up, sent by flush().
  std::string& out(unsigned connection) { return connections_[connection].out(); }
  void flush(unsigned connection);

  // Handles events and waits for them until `until_ns` at most; the last `spin_ns` of the wait are
  // a busy-wait. Returns after one turn, or immediately after wake().
  void turn(std::uint64_t until_ns, std::uint64_t spin_ns);
  // Time at which the current event was read or the turn ended.
  [[nodiscard]] std::uint64_t now_ns() const noexcept { return now_ns_; }
  void refresh_now() noexcept;

  void wake() noexcept;  // any thread
  [[nodiscard]] unsigned up() const noexcept { return up_; }
  [[nodiscard]] bool is_up(unsigned connection) const noexcept {
    return connections_[connection].is_up();
  }
  [[nodiscard]] std::uint64_t spin_ns() const noexcept { return spin_ns_; }

 private:
  struct retry {
    std::uint64_t at_ns;
    unsigned connection;
  };

  void open(unsigned index);
  void retry_due();
  void connected(unsigned index);
  void handle_handshake_reply(unsigned index);
  void handle(unsigned index, std::uint32_t events);
  void read(unsigned index);
  void parse(unsigned index, std::string_view bytes);
  void close_and_retry(unsigned index, std::string_view why);
  void watch(unsigned index, int operation);
  int wait_for_events(std::uint64_t until_ns, std::uint64_t spin_ns);

  const target_address& target_;
  std::string password_;
  connection_listener& listener_;
  std::vector<pool_connection> connections_;
  std::deque<retry> retries_;  // earliest first
  descriptor epoll_;
  descriptor waker_;
  std::unique_ptr<char[]> buffer_;
  std::vector<epoll_event> events_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t waited_until_ns_ = 0;  // end of the last wait
  std::uint64_t spin_ns_ = 0;
  unsigned up_ = 0;
  bool opened_ = false;  // after that, a rejected connection is retried
  bool woken_ = false;
};

}  // namespace stallscope::load
