// A bounded window over a source: contiguous bytes at any offset, read forward at the cost of one
// pread a MiB. Behind a jump little is read, and then more and more.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "capture/byte_source.hpp"

namespace stallscope::capture {

class source_window {
 public:
  explicit source_window(byte_source& source) : source_(source) {}

  // `size` bytes (at most window_bytes) from `offset`, fewer only at the source's end; they stand
  // until the next call.
  std::span<const std::byte> view(std::uint64_t offset, std::size_t size);
  // A whole range in memory of its own. Throws capture_error where the source does not have it.
  std::vector<std::byte> section(std::uint64_t offset, std::uint64_t size, const char* what);
  // Throws capture_error where the source is known to end before the range does.
  void check_range(std::uint64_t offset, std::uint64_t size, const char* what) const;
  // Where the source ends, if known, else the largest offset.
  [[nodiscard]] std::uint64_t end() const;
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

  static constexpr std::size_t window_bytes = std::size_t{1} << 20U;
  static constexpr std::uint64_t section_limit_bytes = std::uint64_t{64} << 20U;

 private:
  static constexpr std::size_t least_bytes = 2048;

  void fill(std::uint64_t offset, std::size_t size);

  byte_source& source_;
  std::vector<std::byte> buffer_;
  std::uint64_t start_ = 0;
  std::size_t filled_ = 0;
  std::size_t ahead_ = least_bytes;  // how much the next fill reads
  std::uint64_t bytes_read_ = 0;
};

}  // namespace stallscope::capture
