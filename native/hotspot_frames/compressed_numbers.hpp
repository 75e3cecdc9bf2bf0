// The numbers of HotSpot's compressed tables: UNSIGNED5, one to five bytes with the lowest bits
// first. From JDK 20 on, no byte is zero. Reads only its argument; every read ends.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

namespace stallscope::hotspot_frames {

class compressed_numbers {
 public:
  compressed_numbers(std::span<const std::byte> bytes, bool excludes_zero) noexcept
      : bytes_{bytes}, excluded_{excludes_zero ? 1U : 0U} {}

  // Returns nullopt at the end of the bytes.
  std::optional<std::uint32_t> next() noexcept {
    constexpr std::uint32_t first_high_code = 192;  // such bytes have a successor
    constexpr unsigned bits_per_byte = 6;
    constexpr unsigned longest = 5;
    std::uint32_t sum = 0;
    for (unsigned i = 0; i < longest; ++i) {
      const auto byte = next_byte();
      if (!byte || *byte < excluded_) return std::nullopt;
      sum += (*byte - excluded_) << (bits_per_byte * i);
      if (*byte - excluded_ < first_high_code) break;
    }
    return sum;
  }
  std::optional<std::int32_t> next_signed() noexcept {
    const auto value = next();
    if (!value) return std::nullopt;
    return static_cast<std::int32_t>((*value >> 1U) ^ (0U - (*value & 1U)));
  }
  std::optional<std::uint32_t> next_byte() noexcept {
    if (position_ >= bytes_.size()) return std::nullopt;
    return static_cast<std::uint32_t>(bytes_[position_++]);
  }

 private:
  std::span<const std::byte> bytes_;
  std::uint32_t excluded_;
  std::size_t position_ = 0;
};

}  // namespace stallscope::hotspot_frames
