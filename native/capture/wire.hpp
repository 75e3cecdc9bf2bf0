// Reads fields of either byte order from untrusted bytes. Pure computation. Any thread.
//
//   wire_cursor cursor{payload, swap, offset};
//   const auto pid = cursor.take<std::uint32_t>("pid of a mapping");
#pragma once

#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>
#include <string>
#include <string_view>
#include <type_traits>

#include "capture/error.hpp"

namespace stallscope::capture {

template <typename T>
[[nodiscard]] T byte_swapped(T value) noexcept {
  static_assert(std::is_unsigned_v<T>);
  if constexpr (sizeof(T) == 8) {
    return __builtin_bswap64(value);
  } else if constexpr (sizeof(T) == 4) {
    return __builtin_bswap32(value);
  } else if constexpr (sizeof(T) == 2) {
    return __builtin_bswap16(value);
  } else {
    return value;
  }
}

// Returns the value at `from`. The caller has checked the bounds.
template <typename T>
[[nodiscard]] T load(const std::byte* from, bool swap) noexcept {
  T value;
  std::memcpy(&value, from, sizeof(T));
  return swap ? byte_swapped(value) : value;
}

[[nodiscard]] inline std::string_view as_text(std::span<const std::byte> bytes) noexcept {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

// A position in a range of bytes. Every step checks the bounds and throws capture_error with the
// offset of the record if they are exceeded.
class wire_cursor {
 public:
  wire_cursor(std::span<const std::byte> bytes, bool swap, std::uint64_t offset)
      : bytes_(bytes), swap_(swap), offset_(offset) {}

  template <typename T>
  T take(const char* what) {
    need(sizeof(T), what);
    const T value = load<T>(bytes_.data() + at_, swap_);
    at_ += sizeof(T);
    return value;
  }
  std::span<const std::byte> take_bytes(std::uint64_t size, const char* what) {
    need(size, what);
    const auto part = bytes_.subspan(at_, static_cast<std::size_t>(size));
    at_ += part.size();
    return part;
  }
  // `count` elements of `size` bytes each.
  std::span<const std::byte> take_array(std::uint64_t count, std::size_t size, const char* what) {
    if (count > rest() / size) {
      fail(what, std::to_string(count) + " elements of " + std::to_string(size) + " bytes");
    }
    return take_bytes(count * size, what);
  }
  // A string up to its NUL, which must lie within the range.
  std::string_view take_string(const char* what) {
    const std::string_view text = as_text(bytes_.subspan(at_));
    const auto length = text.find('\0');
    if (length == std::string_view::npos) {
      throw capture_error(std::string(what) + ": text without its terminating NUL", offset_);
    }
    at_ += length + 1;
    return text.substr(0, length);
  }
  // perf's header string: a length, then the text padded with NULs to that length.
  std::string_view take_header_string(const char* what) {
    const auto text = as_text(take_bytes(take<std::uint32_t>(what), what));
    return text.substr(0, text.find('\0'));
  }

  [[nodiscard]] std::size_t rest() const noexcept { return bytes_.size() - at_; }
  [[nodiscard]] bool swap() const noexcept { return swap_; }
  [[nodiscard]] std::uint64_t offset() const noexcept { return offset_; }

 private:
  void need(std::uint64_t size, const char* what) const {
    if (size > rest()) {
      fail(what, std::to_string(size) + " bytes");
    }
  }
  [[noreturn]] void fail(const char* what, const std::string& expected) const {
    throw capture_error(std::string(what) + ": " + expected + " expected, " +
                            std::to_string(rest()) + " bytes are left in the record",
                        offset_);
  }

  std::span<const std::byte> bytes_;
  std::size_t at_ = 0;
  bool swap_;
  std::uint64_t offset_;
};

}  // namespace stallscope::capture
