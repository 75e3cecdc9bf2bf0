// The connections of one thread of the loader: opens and greets them, writes what is put into their
// buffers, reads replies, and opens those again that were lost. One epoll loop; in a turn each
// connection that has something is read once, 64 KiB at most, so that none starves the others.
// Costs an epoll_wait a turn, and a recv and a send an event. One thread, but for wake().
#pragma once

#include <sys/epoll.h>

#include <cstdint>
#include <deque>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "base/descriptor.hpp"
#include "load/reply_parser.hpp"
#include "load/target_address.hpp"

namespace stallscope::load {

// Who the pool tells what happens. It may put requests into buffers and flush them in event_done(),
// and nowhere else.
class connection_listener {
 public:
  virtual ~connection_listener() = default;
  virtual void connection_up(unsigned connection) = 0;
  virtual void replied(unsigned connection, const reply_parser& reply) = 0;
  virtual void connection_down(unsigned connection, std::string_view why) = 0;
  virtual void event_done() = 0;
  // Nothing was handled in that time, though something may have come.
  virtual void stalled(std::uint64_t from_ns, std::uint64_t to_ns) = 0;
};

class connection_pool {
 public:
  // An empty password: no AUTH is sent. Throws std::system_error.
  connection_pool(const target_address& target, std::string password, unsigned connections,
                  connection_listener& user);

  // Opens all, 128 at a time, and waits until each has answered a PING; false where wake() was
  // called meanwhile. Throws failure where the target refuses one, or does nothing for ten seconds.
  bool open_all();

  // Requests for a connection that is up, for flush() to send.
  std::string& out(unsigned connection) { return connections_[connection].out; }
  void flush(unsigned connection);

  // Handles what has come, and waits for it until then at most; a wait spins for its last
  // `spin_ns`. Returns after a turn, or at once where wake() was called.
  void turn(std::uint64_t until_ns, std::uint64_t spin_ns);
  // When the event that is being handled was read, or the turn ended.
  [[nodiscard]] std::uint64_t now_ns() const noexcept { return now_ns_; }
  void refresh_now() noexcept;

  void wake() noexcept;  // any thread
  [[nodiscard]] unsigned up() const noexcept { return up_; }
  [[nodiscard]] bool is_up(unsigned connection) const noexcept {
    return connections_[connection].now == stage::up;
  }
  [[nodiscard]] std::uint64_t spin_ns() const noexcept { return spin_ns_; }  // so far

 private:
  enum class stage : std::uint8_t { down, connecting, handshake, up };
  struct connection {
    descriptor socket;
    stage now = stage::down;
    bool waits_to_write = false;
    unsigned handshake_replies = 0;  // replies to come before it is up
    std::uint32_t generation = 0;
    std::size_t written = 0;
    std::string out;
    reply_parser parser;
  };
  struct retry {
    std::uint64_t at_ns;
    unsigned connection;
  };

  void open(unsigned index);
  void retry_due();
  void start_handshake(unsigned index);
  void handle_handshake_reply(unsigned index);
  void handle(unsigned index, std::uint32_t events);
  void read(unsigned index);
  void parse(unsigned index, std::string_view bytes);
  void close_and_retry(unsigned index, std::string_view why);
  void watch(unsigned index, int operation);
  int wait_for_events(std::uint64_t until_ns, std::uint64_t spin_ns);

  const target_address& target_;
  std::string password_;
  connection_listener& user_;
  std::vector<connection> connections_;
  std::deque<retry> retries_;  // the soonest first
  descriptor epoll_;
  descriptor waker_;
  std::unique_ptr<char[]> buffer_;
  std::vector<epoll_event> events_;
  std::uint64_t now_ns_ = 0;
  std::uint64_t waited_until_ns_ = 0;  // when the last wait ended
  std::uint64_t spin_ns_ = 0;
  unsigned up_ = 0;
  bool opened_ = false;  // from then on a refusal is no failure but is tried again
  bool woken_ = false;
};

}  // namespace stallscope::load
