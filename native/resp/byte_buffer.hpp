// A contiguous byte queue: append at the back, consume at the front. Connections use it for input
// that is not parsed yet and for output that is not sent yet.
//
// Cost: consuming is free. Appending copies the bytes and sometimes moves the remaining bytes to
// the front. If an append exceeds the limit, or the system has no memory, the bytes are dropped and
// overflowed() returns true from then on, so no client can make a reply larger than the server
// allows.
//
// Thread: one at a time.
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
  // The same bytes, writable for a parser that unescapes in place.
  std::span<char> content() { return {memory_.get() + begin_, end_ - begin_}; }
  std::size_t size() const { return end_ - begin_; }
  bool empty() const { return begin_ == end_; }
  std::size_t capacity() const { return capacity_; }
  bool overflowed() const { return overflowed_; }

  // Room for at least `bytes` at the back: fill it, then commit(). Empty if the limit would be
  // exceeded.
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

  // Drops everything that was appended after the buffer held `bytes`.
  void cut_back(std::size_t bytes) { end_ = begin_ + bytes; }

  // Frees memory beyond `keep`, if the buffer is empty.
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
