// The input of a connection: the bytes received and not parsed yet, and the parser. Holds a buffer
// only while it contains bytes.
//
//   request_reader reader(limits);
//   if (reader.receive(socket, buffers, counters) == request_reader::received::bytes) {
//     while (reader.has_input()) {
//       if (reader.parse() == resp::parse_status::request) submit(reader.words());
//     }
//   }
//
// Words are views into the buffer: they are valid until the next receive() or release().
//
// Cost: one recv() of 16 KiB or more per call of receive(); parsing copies nothing. Thread: that of
// the shard.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <utility>

#include "resp/request_parser.hpp"
#include "server/shards/buffer_pool.hpp"
#include "server/shards/shard_counters.hpp"

namespace stallscope::server {

class request_reader {
 public:
  enum class received : std::uint8_t {
    bytes,
    nothing,  // the socket has none at the moment
    end,      // the client has shut down its side
    failed,   // the socket failed, or the request exceeds the limit of the buffer
  };

  explicit request_reader(const resp::request_limits& limits) : parser_(limits) {}

  void set_authenticated(bool authenticated) { parser_.set_authenticated(authenticated); }

  received receive(int socket, buffer_pool& buffers, shard_counters& counters);

  [[nodiscard]] bool has_input() const noexcept { return input_ && !input_->empty(); }
  // Parses the next request. The bytes stay in place until more are received.
  resp::parse_status parse() {
    const resp::parse_status status = parser_.parse(input_->content());
    if (status == resp::parse_status::incomplete) {
      needs_input_ = true;
    } else {
      input_->consume(parser_.consumed());
      protocol_error_ = status == resp::parse_status::error;
    }
    return status;
  }
  [[nodiscard]] std::span<const std::string_view> words() const { return parser_.words(); }
  [[nodiscard]] const std::string& error() const { return parser_.error(); }

  void begin_parsing() noexcept { needs_input_ = false; }
  void end_parsing() noexcept {
    if (!has_input()) needs_input_ = true;
  }

  // Whether the input contains no whole request.
  [[nodiscard]] bool needs_input() const noexcept { return needs_input_; }
  // Whether the input was not understood; nothing is parsed after that.
  [[nodiscard]] bool protocol_error() const noexcept { return protocol_error_; }
  [[nodiscard]] bool ended() const noexcept { return ended_; }
  // Reading pauses while words of requests in flight are in the buffer.
  [[nodiscard]] bool paused() const noexcept { return paused_; }
  void pause() noexcept { paused_ = true; }
  // Returns whether reading was paused.
  bool resume() noexcept { return std::exchange(paused_, false); }

  // Returns an empty buffer to the pool. No request may be in flight.
  void release(buffer_pool& buffers) {
    if (!input_ || !input_->empty()) return;
    buffers.give_back(std::exchange(input_, nullptr));
    parser_.release_word_memory();
  }
  // Frees the buffer with its contents.
  void drop() noexcept { input_.reset(); }
  [[nodiscard]] std::size_t memory_bytes() const {
    return (input_ ? input_->capacity() : 0) + parser_.memory_bytes();
  }

 private:
  [[nodiscard]] std::span<char> room(buffer_pool& buffers);

  resp::request_parser parser_;
  buffer_pool::buffer input_;
  bool needs_input_ = true;
  bool protocol_error_ = false;
  bool ended_ = false;
  bool paused_ = false;
};

}  // namespace stallscope::server
