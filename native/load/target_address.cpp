#include "load/target_address.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <sys/un.h>

#include <cerrno>
#include <charconv>
#include <cstddef>
#include <cstring>

#include "base/failure.hpp"

namespace stallscope::load {
namespace {

failure bad_target(const std::string& text, const std::string& what) {
  return {exit_code::usage, "the target " + text + ": " + what,
          "use the form 127.0.0.1:6379, [::1]:6379 or unix:/run/redis.sock"};
}

}  // namespace

target_address::target_address(const std::string& text) : name_{text} {
  if (text.starts_with("unix:")) {
    read_unix(text.substr(5));
  } else {
    read_internet(text);
  }
}

void target_address::read_unix(const std::string& path) {
  sockaddr_un address{};
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    throw bad_target(name_, "a socket path must have 1 to 107 bytes");
  }
  address.sun_family = AF_UNIX;
  std::memcpy(address.sun_path, path.data(), path.size());
  std::memcpy(&address_, &address, sizeof address);
  size_ = sizeof address;
}

void target_address::read_internet(const std::string& text) {
  const std::size_t colon = text.rfind(':');
  if (colon == std::string::npos) throw bad_target(text, "the port is missing");
  std::string host = text.substr(0, colon);
  std::uint16_t port = 0;
  const char* const end = text.data() + text.size();
  const auto parsed = std::from_chars(text.data() + colon + 1, end, port);
  if (parsed.ec != std::errc{} || parsed.ptr != end || port == 0) {
    throw bad_target(text, "the port is not a number from 1 to 65535");
  }
  if (host == "localhost") host = "127.0.0.1";
  if (host.size() > 2 && host.front() == '[' && host.back() == ']') {
    host = host.substr(1, host.size() - 2);
  }
  sockaddr_in four{};
  sockaddr_in6 six{};
  if (::inet_pton(AF_INET, host.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    std::memcpy(&address_, &four, sizeof four);
    size_ = sizeof four;
  } else if (::inet_pton(AF_INET6, host.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    std::memcpy(&address_, &six, sizeof six);
    size_ = sizeof six;
  } else {
    throw bad_target(text, "the host is not a numeric address");
  }
}

descriptor target_address::begin_connection(int& error) const {
  descriptor made(::socket(address_.ss_family, SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC, 0));
  error = errno;
  if (!made) return made;
  if (address_.ss_family != AF_UNIX) {
    const int yes = 1;
    ::setsockopt(made.get(), IPPROTO_TCP, TCP_NODELAY, &yes, sizeof yes);
  }
  const int result = ::connect(made.get(), reinterpret_cast<const sockaddr*>(&address_), size_);
  error = result == 0 ? 0 : errno;
  return made;
}

}  // namespace stallscope::load
