// Sockets that listen. Each throws std::system_error or std::invalid_argument with the address, and
// what to do, where it cannot be.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <string>

#include "base/descriptor.hpp"

namespace stallscope::server {

struct tcp_listener {
  descriptor socket;
  std::uint16_t port = 0;
};

// `address` is a number, of IPv4 or IPv6, or "localhost"; port 0: any that is free.
tcp_listener listen_tcp(const std::string& address, std::uint16_t port);
// Whether only this machine reaches it.
bool is_loopback(const std::string& address);

// Removes its file at its end, if it still is the one it made. The file is its owner's alone
// (0600). A link or a file at the path is refused; a socket of this user that nobody listens to is
// replaced.
class unix_listener {
 public:
  explicit unix_listener(std::string path);
  unix_listener(const unix_listener&) = delete;
  unix_listener& operator=(const unix_listener&) = delete;
  unix_listener(unix_listener&&) = delete;
  unix_listener& operator=(unix_listener&&) = delete;
  ~unix_listener() { close(); }

  [[nodiscard]] const descriptor& socket() const noexcept { return socket_; }
  void close() noexcept;

 private:
  std::string path_;
  descriptor socket_;
  dev_t device_ = 0;
  ino_t inode_ = 0;
};

}  // namespace stallscope::server
