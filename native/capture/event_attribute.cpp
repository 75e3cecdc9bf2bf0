#include "capture/event_attribute.hpp"

#include <algorithm>

#include "capture/wire.hpp"

namespace stallscope::capture {
namespace {

// Bits of the flags in little-endian order.
constexpr unsigned inherit_bit = 1;
constexpr unsigned exclude_user_bit = 4;
constexpr unsigned exclude_kernel_bit = 5;
constexpr unsigned frequency_bit = 10;
constexpr unsigned sample_id_all_bit = 18;
constexpr unsigned use_clock_id_bit = 25;

// Offsets of fields in the structure.
constexpr std::size_t type_at = 0;
constexpr std::size_t size_at = 4;
constexpr std::size_t config_at = 8;
constexpr std::size_t period_at = 16;
constexpr std::size_t sample_type_at = 24;
constexpr std::size_t read_format_at = 32;
constexpr std::size_t flags_at = 40;
constexpr std::size_t branch_sample_type_at = 72;
constexpr std::size_t registers_user_at = 80;
constexpr std::size_t clock_id_at = 92;
constexpr std::size_t registers_interrupt_at = 96;

std::uint8_t reversed_bits(std::uint8_t value) {
  unsigned bits = value;
  bits = (bits & 0xf0U) >> 4U | (bits & 0x0fU) << 4U;
  bits = (bits & 0xccU) >> 2U | (bits & 0x33U) << 2U;
  bits = (bits & 0xaaU) >> 1U | (bits & 0x55U) << 1U;
  return static_cast<std::uint8_t>(bits);
}

// On a machine of the other byte order, bit fields fill every byte from the other end; the order of
// the bytes is the same.
std::uint64_t load_flags(const std::byte* from, bool swap) {
  std::uint64_t flags = 0;
  for (unsigned index = 0; index < 8; ++index) {
    auto byte = std::to_integer<std::uint8_t>(from[index]);
    const bool big_endian = swap != (std::endian::native == std::endian::big);
    byte = big_endian ? reversed_bits(byte) : byte;
    flags |= std::uint64_t{byte} << (8 * index);
  }
  return flags;
}

}  // namespace

std::size_t attribute_size(std::span<const std::byte> bytes, bool swap, std::uint64_t offset) {
  if (bytes.size() < smallest_attribute_bytes) {
    throw capture_error(
        "event attribute of " + std::to_string(bytes.size()) + " bytes, expected at least 64",
        offset);
  }
  const auto stored_size = load<std::uint32_t>(bytes.data() + size_at, swap);
  const std::size_t size = stored_size == 0 ? smallest_attribute_bytes : stored_size;
  if (size < smallest_attribute_bytes || size > bytes.size() || size % 8 != 0) {
    throw capture_error("event attribute has a size field of " + std::to_string(stored_size) +
                            " bytes, expected a multiple of 8 from 64 to " +
                            std::to_string(bytes.size()),
                        offset);
  }
  return size;
}

attribute parse_attribute(std::span<const std::byte> bytes, bool swap, std::uint64_t offset) {
  const auto fields = bytes.first(attribute_size(bytes, swap, offset));
  const auto word_at = [&](std::size_t at) {
    return at + 8 <= fields.size() ? load<std::uint64_t>(fields.data() + at, swap) : 0;
  };
  attribute parsed;
  parsed.type = load<std::uint32_t>(fields.data() + type_at, swap);
  parsed.config = word_at(config_at);
  parsed.sample_type = word_at(sample_type_at);
  parsed.read_format = word_at(read_format_at);
  parsed.branch_sample_type = word_at(branch_sample_type_at);
  parsed.registers_user = word_at(registers_user_at);
  parsed.registers_interrupt = word_at(registers_interrupt_at);
  const std::uint64_t flags = load_flags(fields.data() + flags_at, swap);
  const auto flag = [flags](unsigned bit) { return (flags >> bit & 1U) != 0; };
  (flag(frequency_bit) ? parsed.frequency_hz : parsed.period) = word_at(period_at);
  parsed.inherit = flag(inherit_bit);
  parsed.exclude_user = flag(exclude_user_bit);
  parsed.exclude_kernel = flag(exclude_kernel_bit);
  parsed.sample_id_all = flag(sample_id_all_bit);
  if (flag(use_clock_id_bit) && clock_id_at + 4 <= fields.size()) {
    parsed.clock_id =
        static_cast<std::int32_t>(load<std::uint32_t>(fields.data() + clock_id_at, swap));
  }
  parsed.name = event_name(parsed.type, parsed.config);
  return parsed;
}

}  // namespace stallscope::capture
