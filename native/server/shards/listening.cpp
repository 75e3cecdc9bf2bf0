#include "server/shards/listening.hpp"

#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>
#include <sys/stat.h>
#include <sys/un.h>

#include <cerrno>
#include <cstring>
#include <stdexcept>
#include <system_error>
#include <utility>

#include "base/failure.hpp"

namespace stallscope::server {
namespace {

constexpr int backlog = 4096;  // the kernel caps it at net.core.somaxconn
constexpr mode_t owner_only_umask = 0177;

[[noreturn]] void fail(const std::string& what) {
  throw std::system_error(errno, std::generic_category(), what);
}

struct tcp_address {
  sockaddr_storage storage{};
  socklen_t length = 0;
  [[nodiscard]] const sockaddr* get() const { return reinterpret_cast<const sockaddr*>(&storage); }
};

tcp_address address_of(const std::string& text, std::uint16_t port) {
  tcp_address made;
  sockaddr_in four{};
  if (::inet_pton(AF_INET, text == "localhost" ? "127.0.0.1" : text.c_str(), &four.sin_addr) == 1) {
    four.sin_family = AF_INET;
    four.sin_port = htons(port);
    std::memcpy(&made.storage, &four, sizeof four);
    made.length = sizeof four;
    return made;
  }
  sockaddr_in6 six{};
  if (::inet_pton(AF_INET6, text.c_str(), &six.sin6_addr) == 1) {
    six.sin6_family = AF_INET6;
    six.sin6_port = htons(port);
    std::memcpy(&made.storage, &six, sizeof six);
    made.length = sizeof six;
    return made;
  }
  throw std::invalid_argument("\"" + text +
                              "\" is not an address: use a numeric one such as 127.0.0.1 or ::1");
}

sockaddr_un unix_address(const std::string& path) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  if (path.empty() || path.size() >= sizeof address.sun_path) {
    throw std::invalid_argument("the path of a unix socket must have 1 to " +
                                std::to_string(sizeof address.sun_path - 1) + " bytes: \"" + path +
                                "\"");
  }
  std::memcpy(address.sun_path, path.data(), path.size());
  return address;
}

bool socket_is_listening(const sockaddr_un& address) {
  const descriptor probe(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!probe) fail("socket");
  const auto* to = reinterpret_cast<const sockaddr*>(&address);
  return ::connect(probe.get(), to, sizeof address) == 0 || errno != ECONNREFUSED;
}

// Removes the socket of a server that was killed.
void remove_stale(const std::string& path, const sockaddr_un& address) {
  struct stat file_status {};
  if (::lstat(path.c_str(), &file_status) != 0) {
    if (errno == ENOENT) return;
    fail(path);
  }
  if (!S_ISSOCK(file_status.st_mode) || file_status.st_uid != ::geteuid()) {
    throw std::invalid_argument(path + " exists and is not a socket of this user: remove it" +
                                " or use another path");
  }
  if (socket_is_listening(address)) {
    throw std::invalid_argument(path + " is in use by another server: use another path");
  }
  if (::unlink(path.c_str()) != 0) fail(path);
}

}  // namespace

bool is_loopback(const std::string& address) {
  const tcp_address parsed = address_of(address, 0);
  if (parsed.storage.ss_family == AF_INET) {
    sockaddr_in four{};
    std::memcpy(&four, &parsed.storage, sizeof four);
    return (ntohl(four.sin_addr.s_addr) >> 24U) == 127;
  }
  sockaddr_in6 six{};
  std::memcpy(&six, &parsed.storage, sizeof six);
  return IN6_IS_ADDR_LOOPBACK(&six.sin6_addr) != 0;
}

tcp_listener listen_tcp(const std::string& address, std::uint16_t port) {
  const tcp_address requested = address_of(address, port);
  const std::string name = address + " port " + std::to_string(port);
  tcp_listener made;
  made.socket.reset(
      ::socket(requested.storage.ss_family, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!made.socket) fail("socket");
  const int on = 1;
  ::setsockopt(made.socket.get(), SOL_SOCKET, SO_REUSEADDR, &on, sizeof on);
  if (::bind(made.socket.get(), requested.get(), requested.length) != 0) fail(name);
  if (::listen(made.socket.get(), backlog) != 0) fail(name);
  sockaddr_storage bound{};
  socklen_t length = sizeof bound;
  if (::getsockname(made.socket.get(), reinterpret_cast<sockaddr*>(&bound), &length) != 0) {
    fail(name);
  }
  // The port has the same offset in both address families.
  sockaddr_in four{};
  std::memcpy(&four, &bound, sizeof four);
  made.port = ntohs(four.sin_port);
  return made;
}

unix_listener::unix_listener(std::string path) : path_(std::move(path)) {
  const sockaddr_un address = unix_address(path_);
  remove_stale(path_, address);
  socket_.reset(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
  if (!socket_) fail("socket");
  // bind() creates the file and follows no link: an existing path is an error.
  const mode_t before = ::umask(owner_only_umask);
  const int bound =
      ::bind(socket_.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address);
  ::umask(before);
  if (bound != 0) throw output_error(errno, path_);  // bind() creates a file
  struct stat made {};
  if (::lstat(path_.c_str(), &made) != 0) fail(path_);
  device_ = made.st_dev;
  inode_ = made.st_ino;
  if (::listen(socket_.get(), backlog) != 0) fail(path_);
}

void unix_listener::close() noexcept {
  if (!socket_) return;
  struct stat file_status {};
  const bool ours = ::lstat(path_.c_str(), &file_status) == 0 && file_status.st_dev == device_ &&
                    file_status.st_ino == inode_;
  if (ours) ::unlink(path_.c_str());
  socket_.reset();
}

}  // namespace stallscope::server
