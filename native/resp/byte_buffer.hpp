// Bytes that are appended at the back and consumed at the front, in one piece of memory: what a
// connection has read and not yet understood, or what it has to send. Consuming is free; appending
// copies the bytes and, at times, moves what is still there to the front. Growth stops at a limit,
// and where the system gives no more memory: what does not fit is dropped and overflowed() tells
// it from then on, so that no client makes a reply larger than the server allows. One thread at a
// time.
#pragma once

#include <cstddef>
#include <cstring>
#include <limits>
#include <memory>
#include <span>
#include <string_view>

namespace stallscope::resp {

class byte_buffer {
 public:
  explicit byte_buffer(std::size_t limit = std::numeric_limits<std::size_t>::max())
      : limit_(limit) {}

  std::string_view view() const { return {memory_.get() + begin_, end_ - begin_}; }
  // The same bytes, for a parser that unescapes in place.
  std::span<char> content() { return {memory_.get() + begin_, end_ - begin_}; }
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  std::size_t capacity() const { return capacity_; }
  bool overflowed() const { return overflowed_; }

  // Room for at least `bytes` at the back, to be filled and then committed; empty beyond the limit.
  std::span<char> room(std::size_t bytes) {
    if (capacity_ - end_ < bytes && !make_room(bytes)) return {};
    return {memory_.get() + end_, capacity_ - end_};
  }
  void commit(std::size_t bytes) { end_ += bytes; }

  void append(std::string_view bytes) {
    if (bytes.empty() || room(bytes.size()).empty()) return;
    std::memcpy(memory_.get() + end_, bytes.data(), bytes.size());
    end_ += bytes.size();
  }

  void consume(std::size_t bytes) {
    begin_ += bytes;
    if (begin_ == end_) begin_ = end_ = 0;
  }

  // Forgets what was appended after the buffer held `bytes`.
  void cut_back(std::size_t bytes) { end_ = begin_ + bytes; }

  // Gives memory beyond `keep` back; only an empty buffer does.
  void shrink(std::size_t keep);

 private:
  bool make_room(std::size_t bytes);

  std::unique_ptr<char[]> memory_;
  std::size_t capacity_ = 0;
  std::size_t begin_ = 0;
  std::size_t end_ = 0;
  std::size_t limit_;
  bool overflowed_ = false;
};

}  // namespace stallscope::resp
