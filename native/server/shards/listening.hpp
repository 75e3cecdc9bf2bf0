// Listening sockets. The functions throw std::system_error or std::invalid_argument with the
// address and a remedy.
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

// `address` is a numeric IPv4 or IPv6 address or "localhost"; port 0 means any free port.
tcp_listener listen_tcp(const std::string& address, std::uint16_t port);
// Whether the address is reachable from this machine only.
bool is_loopback(const std::string& address);

// A listening unix socket. Its file has mode 0600 and is removed at the end if it is still the same
// file. A link or a regular file at the path is rejected; a stale socket of this user is replaced.
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
