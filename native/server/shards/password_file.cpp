#include "server/shards/password_file.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <stdexcept>
#include <system_error>

#include "base/descriptor.hpp"

namespace stallscope::server {
namespace {

constexpr std::size_t longest = 512;

[[noreturn]] void reject_file(const std::string& path, const std::string& why) {
  throw std::invalid_argument("the password file " + path + " " + why);
}

void check(const std::string& path, int fd) {
  struct stat status {};
  if (::fstat(fd, &status) != 0) throw std::system_error(errno, std::generic_category(), path);
  if (!S_ISREG(status.st_mode)) reject_file(path, "is not a regular file");
  if (status.st_uid != ::geteuid() && status.st_uid != 0)
    reject_file(path, "belongs to another user");
  if ((status.st_mode & 077U) != 0)
    reject_file(path, "is accessible by other users: run chmod 600 on it");
}

}  // namespace

std::string read_password_file(const std::string& path) {
  const descriptor file(::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NOFOLLOW | O_NONBLOCK));
  if (!file) {
    if (errno == ELOOP) reject_file(path, "is a symbolic link: use the file itself");
    throw std::system_error(errno, std::generic_category(), path);
  }
  check(path, file.get());
  std::array<char, longest + 2> bytes{};
  const ssize_t got = ::read(file.get(), bytes.data(), bytes.size());
  if (got < 0) throw std::system_error(errno, std::generic_category(), path);
  std::string line(bytes.data(), static_cast<std::size_t>(got));
  const std::size_t end = line.find('\n');
  if (end == std::string::npos && line.size() > longest)
    reject_file(path, "is longer than 512 bytes");
  if (end != std::string::npos) line.resize(end);
  if (line.empty()) reject_file(path, "has an empty first line");
  return line;
}

}  // namespace stallscope::server
