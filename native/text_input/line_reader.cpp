#include "text_input/line_reader.hpp"

#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <system_error>

namespace stallscope::text_input {
namespace {

constexpr std::size_t max_read_bytes = 262'144;

}  // namespace

line_reader::line_reader(int descriptor)
    : descriptor_(descriptor), buffer_(std::make_unique_for_overwrite<char[]>(buffer_bytes)) {}

bool line_reader::fill() {
  if (at_end_ || end_ - begin_ == buffer_bytes) {
    return false;
  }
  if (begin_ > 0) {
    std::memmove(buffer_.get(), buffer_.get() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
  }
  ssize_t size = 0;
  do {
    // Small reads keep the text in the second-level cache until it is parsed.
    const std::size_t room = std::min(buffer_bytes - end_, max_read_bytes);
    size = ::read(descriptor_, buffer_.get() + end_, room);
  } while (size < 0 && errno == EINTR);
  if (size < 0) {
    throw std::system_error(errno, std::generic_category(), "read");
  }
  at_end_ = size == 0;
  end_ += static_cast<std::size_t>(size);
  return size > 0;
}

bool line_reader::next() {
  if (endless_) {
    return false;
  }
  too_long_ = false;
  text_ = {};
  std::size_t searched = 0;
  while (true) {
    const char* const line = buffer_.get() + begin_;
    const std::size_t available = end_ - begin_;
    const void* const newline = std::memchr(line + searched, '\n', available - searched);
    if (newline != nullptr || (at_end_ && available > 0)) {
      std::size_t size = newline != nullptr
                             ? static_cast<std::size_t>(static_cast<const char*>(newline) - line)
                             : available;
      begin_ += size + (newline != nullptr ? 1 : 0);
      ++number_;
      if (size > max_line_bytes) {
        too_long_ = true;
        return true;
      }
      if (size > 0 && line[size - 1] == '\r') {
        --size;
      }
      text_ = {line, size};
      return true;
    }
    if (at_end_) {
      return false;
    }
    searched = available;
    if (available > max_line_bytes) {
      return skip_line();
    }
    fill();
  }
}

bool line_reader::skip_line() {
  ++number_;
  too_long_ = true;
  std::uint64_t skipped = 0;
  while (true) {
    const char* const line = buffer_.get() + begin_;
    const void* const newline = std::memchr(line, '\n', end_ - begin_);
    if (newline != nullptr) {
      begin_ += static_cast<std::size_t>(static_cast<const char*>(newline) - line) + 1;
      return true;
    }
    skipped += end_ - begin_;
    begin_ = end_ = 0;
    if (skipped > max_skipped_bytes) {
      endless_ = true;
      return true;
    }
    if (!fill()) {
      return true;
    }
  }
}

}  // namespace stallscope::text_input
