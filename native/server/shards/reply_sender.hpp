// The output of a connection: the replies written and not sent yet. Holds a buffer only while it
// contains bytes.
//
//   reply_sender sender;
//   resp::reply_writer(sender.buffer(pool)).ok();
//   if (!sender.send(socket, loop.now(), counters)) close();
//   if (sender.blocked()) wait_for(EPOLLOUT);
//
// Cost: one send() per call, unless the socket accepts a part only. Thread: that of the shard.
#pragma once

#include <chrono>
#include <cstddef>
#include <utility>

#include "server/shards/buffer_pool.hpp"
#include "server/shards/shard_counters.hpp"

namespace stallscope::server {

class reply_sender {
 public:
  // Beyond this size, replies are sent before further requests are run. If they cannot be sent, the
  // connection stops reading requests.
  static constexpr std::size_t throttle_bytes = std::size_t{256} << 10U;

  [[nodiscard]] resp::byte_buffer& buffer(buffer_pool& buffers) {
    if (!output_) output_ = buffers.take();
    return *output_;
  }
  [[nodiscard]] bool empty() const noexcept { return !output_ || output_->empty(); }
  [[nodiscard]] bool above_limit() const noexcept {
    return output_ && output_->size() > throttle_bytes;
  }
  [[nodiscard]] bool overflowed() const noexcept { return output_ && output_->overflowed(); }

  // Sends as much as the socket accepts. Returns false if the socket failed.
  [[nodiscard]] bool send(int socket, std::chrono::nanoseconds now, shard_counters& counters);
  // Whether the socket accepted a part only.
  [[nodiscard]] bool blocked() const noexcept { return blocked_; }
  // Whether a blocked client has accepted nothing for this long.
  [[nodiscard]] bool stalled(std::chrono::nanoseconds now, std::chrono::nanoseconds longest) const {
    return blocked_ && now - last_progress_ >= longest;
  }

  // While throttled, the connection reads no requests.
  [[nodiscard]] bool throttled() const noexcept { return throttled_; }
  // Returns whether the state changed.
  bool throttle() noexcept { return !std::exchange(throttled_, true); }
  // Ends throttling once half of the limit is free; returns whether it ended.
  bool end_throttle() noexcept {
    if (!throttled_ || (output_ && output_->size() > throttle_bytes / 2)) return false;
    throttled_ = false;
    return true;
  }

  // Shuts down the write side of the socket. What the client still sends is dropped.
  void shut_down(int socket) noexcept;
  [[nodiscard]] bool write_shutdown() const noexcept { return write_shutdown_; }

  // Returns an empty buffer to the pool.
  void release(buffer_pool& buffers) {
    if (output_ && output_->empty()) buffers.give_back(std::exchange(output_, nullptr));
  }
  // Frees the buffer with its contents.
  void drop() noexcept { output_.reset(); }
  [[nodiscard]] std::size_t memory_bytes() const { return output_ ? output_->capacity() : 0; }

 private:
  buffer_pool::buffer output_;
  std::chrono::nanoseconds last_progress_{};  // when the client last accepted bytes
  bool blocked_ = false;
  bool throttled_ = false;
  bool write_shutdown_ = false;
};

}  // namespace stallscope::server
