#include "server/shards/reply_sender.hpp"

#include <sys/socket.h>

#include <cerrno>
#include <cstdint>
#include <string_view>

namespace stallscope::server {

bool reply_sender::send(int socket, std::chrono::nanoseconds now, shard_counters& counters) {
  if (!empty() && !blocked_) last_progress_ = now;
  blocked_ = false;
  while (!empty() && !blocked_) {
    const std::string_view bytes = output_->view();
    const ssize_t sent = ::send(socket, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent < 0) {
      if (errno == EINTR) continue;
      blocked_ = true;
      return errno == EAGAIN;
    }
    if (sent > 0) last_progress_ = now;
    output_->consume(static_cast<std::size_t>(sent));
    counters.bytes_written.add(static_cast<std::uint64_t>(sent));
    blocked_ = static_cast<std::size_t>(sent) < bytes.size();
  }
  return true;
}

void reply_sender::shut_down(int socket) noexcept {
  if (!write_shutdown_) ::shutdown(socket, SHUT_WR);
  write_shutdown_ = true;
}

}  // namespace stallscope::server
