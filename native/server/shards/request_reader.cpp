#include "server/shards/request_reader.hpp"

#include <sys/socket.h>

#include <algorithm>
#include <cerrno>

namespace stallscope::server {
namespace {

// Bytes per recv(): some hundreds of small requests, so that no client delays the others for long.
constexpr std::size_t read_bytes = std::size_t{16} << 10U;

}  // namespace

request_reader::received request_reader::receive(int socket, buffer_pool& buffers,
                                                 shard_counters& counters) {
  const std::span<char> free = room(buffers);
  if (free.empty()) return received::failed;
  const ssize_t bytes = ::recv(socket, free.data(), free.size(), 0);
  if (bytes > 0) {
    input_->commit(static_cast<std::size_t>(bytes));
    counters.bytes_read.add(static_cast<std::uint64_t>(bytes));
    return received::bytes;
  }
  if (bytes == 0) {
    ended_ = true;
    return received::end;
  }
  return errno == EAGAIN || errno == EINTR ? received::nothing : received::failed;
}

std::span<char> request_reader::room(buffer_pool& buffers) {
  if (!input_) input_ = buffers.take();
  // The memory of a long request grows with the bytes received, not with the announced length.
  const std::size_t held = input_->size();
  const std::size_t expected = std::max(parser_.bytes_expected(), held) - held;
  const std::size_t needed = std::max(read_bytes, std::min(expected, held));
  return input_->room(held == 0 ? read_bytes : needed);
}

}  // namespace stallscope::server
