// One connection of the loader: its socket, its state from connecting to up, the requests to send
// and the parser of its replies.
//
//   pool_connection peer;
//   int error = peer.begin(target);             // connecting
//   peer.start_handshake(password);             // sends AUTH and PING
//   if (peer.handshake_reply()) report_up();
//   peer.out() += request;
//   if (peer.flush() == pool_connection::flushed::failed) peer.close();
//
// Cost: one send() per flush(). Thread: that of its connection_pool.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>

#include "base/descriptor.hpp"
#include "load/reply_parser.hpp"
#include "load/target_address.hpp"

namespace stallscope::load {

class pool_connection {
 public:
  enum class stage : std::uint8_t { down, connecting, handshake, up };
  enum class flushed : std::uint8_t {
    same_events,     // done, or still blocked
    changed_events,  // events() changed: the socket is blocked now, or no longer
    failed,
  };

  // Starts to connect. Returns 0, EINPROGRESS or the errno of a failure; EAGAIN means that the
  // backlog of a unix socket is full.
  int begin(const target_address& target);
  // The result of connecting: 0 or an errno.
  [[nodiscard]] int connect_error() const;
  // Puts AUTH (with a password) and PING into the output.
  void start_handshake(const std::string& password);
  // Counts a reply of the handshake. Returns true with the last one: the connection is up.
  bool handshake_reply();
  flushed flush();
  void close();

  [[nodiscard]] stage state() const noexcept { return stage_; }
  [[nodiscard]] bool is_up() const noexcept { return stage_ == stage::up; }
  [[nodiscard]] int socket() const noexcept { return socket_.get(); }
  [[nodiscard]] std::string& out() noexcept { return out_; }
  [[nodiscard]] reply_parser& parser() noexcept { return parser_; }
  // The epoll events to wait for.
  [[nodiscard]] std::uint32_t events() const noexcept;
  // Changes with every begin() and close(): distinguishes events of an earlier socket.
  [[nodiscard]] std::uint32_t generation() const noexcept { return generation_; }

 private:
  descriptor socket_;
  stage stage_ = stage::down;
  bool blocked_ = false;
  unsigned handshake_replies_ = 0;  // still expected
  std::uint32_t generation_ = 0;
  std::size_t written_ = 0;
  std::string out_;
  reply_parser parser_;
};

}  // namespace stallscope::load
