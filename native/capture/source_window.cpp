#include "capture/source_window.hpp"

#include <algorithm>
#include <limits>
#include <string>

#include "capture/error.hpp"

namespace stallscope::capture {

std::span<const std::byte> source_window::view(std::uint64_t offset, std::size_t size) {
  if (offset < start_ || offset - start_ > filled_ || size > filled_ - (offset - start_)) {
    fill(offset, size);
  }
  const auto skipped = static_cast<std::size_t>(offset - start_);
  return std::span(buffer_).subspan(skipped, std::min(size, filled_ - skipped));
}

void source_window::fill(std::uint64_t offset, std::size_t size) {
  std::size_t rest_bytes = 0;
  if (offset >= start_ && offset - start_ <= filled_) {
    const std::span all(buffer_);
    const auto rest = all.first(filled_).subspan(static_cast<std::size_t>(offset - start_));
    std::copy(rest.begin(), rest.end(), all.begin());
    rest_bytes = rest.size();
    ahead_ = std::min(2 * ahead_, window_bytes);
  } else {
    ahead_ = min_bytes;
  }
  // A small file needs only a small window.
  const std::uint64_t left = offset < end() ? end() - offset : 0;
  const auto ahead = static_cast<std::size_t>(std::min<std::uint64_t>(left, ahead_));
  const std::size_t until = std::max(size, ahead);
  buffer_.resize(std::max(buffer_.size(), until));
  start_ = offset;
  filled_ = rest_bytes;
  while (filled_ < size) {
    const std::size_t count =
        source_.read_at(start_ + filled_, std::span(buffer_).subspan(filled_, until - filled_));
    if (count == 0) {
      return;
    }
    filled_ += count;
    bytes_read_ += count;
  }
}

std::uint64_t source_window::end() const {
  return source_.size_bytes().value_or(std::numeric_limits<std::uint64_t>::max());
}

void source_window::check_range(std::uint64_t offset, std::uint64_t size, const char* what) const {
  if (offset > end() || size > end() - offset) {
    throw capture_error(std::string(what) + ": " + std::to_string(size) + " bytes at offset " +
                            std::to_string(offset) + " lie beyond the end of the file (" +
                            std::to_string(end()) + " bytes); it is truncated or corrupt",
                        offset);
  }
}

std::vector<std::byte> source_window::section(std::uint64_t offset, std::uint64_t size,
                                              const char* what) {
  check_range(offset, size, what);
  if (size > section_limit_bytes) {
    throw capture_error(std::string(what) + ": " + std::to_string(size) +
                            " bytes, expected at most " + std::to_string(section_limit_bytes),
                        offset);
  }
  std::vector<std::byte> bytes;
  while (bytes.size() < size) {
    const auto part_size = std::min<std::uint64_t>(size - bytes.size(), window_bytes);
    const auto part = view(offset + bytes.size(), static_cast<std::size_t>(part_size));
    if (part.empty()) {
      throw capture_error(std::string(what) + ": the file ends within it", offset + bytes.size());
    }
    bytes.insert(bytes.end(), part.begin(), part.end());
  }
  return bytes;
}

}  // namespace stallscope::capture
