#include "v8_frames/position_table.hpp"

#include <algorithm>

namespace stallscope::v8_frames {
namespace {

constexpr std::uint64_t offset_mask = (std::uint64_t{1} << 30U) - 1;
constexpr unsigned inlining_shift = 31;
constexpr std::uint64_t inlining_mask = 0xffff;

std::optional<std::int64_t> take_number(std::span<const std::byte>& from) {
  std::uint64_t bits = 0;
  for (unsigned shift = 0; shift < 64; shift += 7) {
    if (from.empty()) return std::nullopt;
    const auto byte = std::to_integer<std::uint64_t>(from.front());
    from = from.subspan(1);
    bits |= (byte & 0x7fU) << shift;
    if ((byte & 0x80U) == 0) return static_cast<std::int64_t>((bits >> 1U) ^ (~(bits & 1U) + 1));
  }
  return std::nullopt;
}

}  // namespace

source_position decode_position(std::uint64_t word) {
  return {static_cast<std::int32_t>((word >> 1U) & offset_mask) - 1,
          static_cast<std::int32_t>((word >> inlining_shift) & inlining_mask) - 1};
}

position_table::position_table(std::span<const std::byte> encoded) {
  std::uint64_t code_offset = ~std::uint64_t{0};
  std::uint64_t position = 0;
  while (!encoded.empty()) {
    const auto code_delta = take_number(encoded);
    const auto position_delta = take_number(encoded);
    if (!code_delta || !position_delta) return;
    // Expressions have a negated delta.
    code_offset += static_cast<std::uint64_t>(*code_delta >= 0 ? *code_delta : -(*code_delta + 1));
    position += static_cast<std::uint64_t>(*position_delta);
    entries_.push_back({static_cast<std::int64_t>(code_offset), position});
  }
}

std::optional<source_position> position_table::at(std::int64_t code_offset) const {
  const auto after =
      std::upper_bound(entries_.begin(), entries_.end(), code_offset,
                       [](std::int64_t offset, const entry& e) { return offset < e.code_offset; });
  if (after == entries_.begin()) return std::nullopt;
  return decode_position(std::prev(after)->position);
}

}  // namespace stallscope::v8_frames
