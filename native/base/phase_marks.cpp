#include "base/phase_marks.hpp"

#include <sys/socket.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cinttypes>
#include <cstdio>

namespace stallscope {

void phase_marks::mark(const char* word, std::uint64_t monotonic_ns) const noexcept {
  if (fd_ < 0) return;
  std::array<char, 48> line{};
  const int size = std::snprintf(line.data(), line.size(), "%s %" PRIu64 "\n", word, monotonic_ns);
  const auto bytes = static_cast<std::size_t>(size);
  // Without SIGPIPE, which only a socket can prevent; programs that mark phases ignore the signal.
  if (::send(fd_, line.data(), bytes, MSG_NOSIGNAL | MSG_DONTWAIT) < 0 && errno == ENOTSOCK)
      [[maybe_unused]]
    const auto written = ::write(fd_, line.data(), bytes);
}

}  // namespace stallscope
