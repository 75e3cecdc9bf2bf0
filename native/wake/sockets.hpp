// Small parts of loopback TCP that channels and front ends share.
#pragma once

#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <system_error>

#include "base/descriptor.hpp"

namespace stallscope::wake {

[[noreturn]] inline void socket_failed(const char* call) {
  throw std::system_error(errno, std::generic_category(), call);
}

// Port 0: any free port.
inline sockaddr_in loopback_address(std::uint16_t port = 0) {
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  address.sin_port = htons(port);
  return address;
}

inline void without_delay(const descriptor& socket) {
  const int on = 1;
  if (::setsockopt(socket.get(), IPPROTO_TCP, TCP_NODELAY, &on, sizeof(on)) != 0) {
    socket_failed("setsockopt TCP_NODELAY");
  }
}

}  // namespace stallscope::wake
