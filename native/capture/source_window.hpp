// A bounded window over a source: contiguous bytes at any offset. Sequential reading costs one
// pread per MiB. After a jump the read size starts small and doubles. One thread.
//
//   source_window window{source};
//   const auto bytes = window.view(offset, size);
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

  // Returns `size` bytes (at most window_bytes) from `offset`, fewer only at the end of the source.
  // The span is valid until the next call.
  std::span<const std::byte> view(std::uint64_t offset, std::size_t size);
  // Returns a copy of a whole range. Throws capture_error if the source ends within it.
  std::vector<std::byte> section(std::uint64_t offset, std::uint64_t size, const char* what);
  // Throws capture_error if the source is known to end within the range.
  void check_range(std::uint64_t offset, std::uint64_t size, const char* what) const;
  // The end of the source if known, otherwise the largest offset.
  [[nodiscard]] std::uint64_t end() const;
  [[nodiscard]] std::uint64_t bytes_read() const noexcept { return bytes_read_; }

  static constexpr std::size_t window_bytes = std::size_t{1} << 20U;
  static constexpr std::uint64_t section_limit_bytes = std::uint64_t{64} << 20U;

 private:
  static constexpr std::size_t min_bytes = 2048;

  void fill(std::uint64_t offset, std::size_t size);

  byte_source& source_;
  std::vector<std::byte> buffer_;
  std::uint64_t start_ = 0;
  std::size_t filled_ = 0;
  std::size_t ahead_ = min_bytes;  // the size of the next read
  std::uint64_t bytes_read_ = 0;
};

}  // namespace stallscope::capture
