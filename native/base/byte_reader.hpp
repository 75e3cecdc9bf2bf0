// Reads little-endian numbers and LEB128 from a byte span with bounds checks. After a read past the
// end, every value is 0 and failed() returns true, so a caller checks once at the end of an item.
// Costs a comparison per read; allocates and throws nothing. A reader belongs to a single thread.
//  byte_reader reader(bytes);
//  const auto length = reader.number<std::uint32_t>();
//  if (reader.failed()) return std::nullopt;
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace stallscope {

class byte_reader {
 public:
  explicit byte_reader(std::span<const std::byte> bytes, std::size_t offset = 0) noexcept
      : bytes_{bytes}, offset_{offset}, failed_{offset > bytes.size()} {}

  [[nodiscard]] bool failed() const noexcept { return failed_; }
  [[nodiscard]] std::size_t offset() const noexcept { return offset_; }
  [[nodiscard]] bool at_end() const noexcept { return failed_ || offset_ == bytes_.size(); }
  [[nodiscard]] std::size_t left() const noexcept { return failed_ ? 0 : bytes_.size() - offset_; }

  template <typename Number>
  Number number() noexcept {
    Number value{};
    if (left() < sizeof value) {
      failed_ = true;
      return value;
    }
    std::memcpy(&value, bytes_.data() + offset_, sizeof value);
    offset_ += sizeof value;
    return value;
  }

  std::uint64_t uleb128() noexcept {
    if (left() == 0) return leb128(nullptr);
    const auto first = std::to_integer<std::uint8_t>(bytes_[offset_]);
    if ((first & 0x80U) != 0) return leb128(nullptr);
    ++offset_;  // most numbers have one byte
    return first;
  }
  std::int64_t sleb128() noexcept {
    unsigned sign_shift = 0;
    const std::uint64_t value = leb128(&sign_shift);
    const bool extend = sign_shift != 0 && sign_shift < 64;
    return static_cast<std::int64_t>(extend ? value | (~std::uint64_t{0} << sign_shift) : value);
  }

  // Fails unless `count` bytes are left.
  void skip(std::uint64_t count) noexcept {
    if (left() < count) {
      failed_ = true;
    } else {
      offset_ += static_cast<std::size_t>(count);
    }
  }

  std::span<const std::byte> take(std::uint64_t count) noexcept {
    if (left() < count) {
      failed_ = true;
      return {};
    }
    const auto taken = bytes_.subspan(offset_, static_cast<std::size_t>(count));
    offset_ += taken.size();
    return taken;
  }

 private:
  // If the value is negative as a signed number, `sign_shift` receives the number of bits read.
  std::uint64_t leb128(unsigned* sign_shift) noexcept {
    std::uint64_t value = 0;
    for (unsigned shift = 0;; shift += 7) {
      const auto byte = number<std::uint8_t>();
      if (failed_) return 0;
      if (shift < 64) value |= static_cast<std::uint64_t>(byte & 0x7fU) << shift;
      if ((byte & 0x80U) != 0) continue;
      if (sign_shift != nullptr && (byte & 0x40U) != 0) *sign_shift = shift + 7;
      return value;
    }
  }

  std::span<const std::byte> bytes_;
  std::size_t offset_;
  bool failed_;
};

}  // namespace stallscope
