#include "unwind/encoded_pointer.hpp"

#include <cstring>

namespace stallscope::unwind {
namespace {

constexpr std::uint8_t format_mask = 0x0f;
constexpr std::uint8_t relation_mask = 0x70;
constexpr std::uint8_t indirect = 0x80;
constexpr std::uint8_t aligned = 0x50;

enum format : std::uint8_t {
  absolute = 0x00,
  uleb = 0x01,
  udata2 = 0x02,
  udata4 = 0x03,
  udata8 = 0x04,
  signed_native = 0x08,
  sleb = 0x09,
  sdata2 = 0x0a,
  sdata4 = 0x0b,
  sdata8 = 0x0c,
};

template <typename Number>
std::uint64_t extended(byte_reader& reader) {
  return static_cast<std::uint64_t>(static_cast<std::int64_t>(reader.number<Number>()));
}

std::optional<std::uint64_t> base_of(std::uint8_t relation, std::uint64_t position,
                                     const pointer_bases& bases) {
  switch (relation) {
    case 0x00:
      return 0;
    case 0x10:
      return position;
    case 0x20:
      return bases.text;
    case 0x30:
      return bases.global_offsets;
    default:
      return std::nullopt;  // relative to the function: invalid for a start address
  }
}

}  // namespace

std::optional<std::uint64_t> read_plain(byte_reader& reader, std::uint8_t encoding) {
  switch (encoding & format_mask) {
    case absolute:
    case udata8:
    case signed_native:
    case sdata8:
      return reader.number<std::uint64_t>();
    case uleb:
      return reader.uleb128();
    case sleb:
      return static_cast<std::uint64_t>(reader.sleb128());
    case udata2:
      return reader.number<std::uint16_t>();
    case udata4:
      return reader.number<std::uint32_t>();
    case sdata2:
      return extended<std::int16_t>(reader);
    case sdata4:
      return extended<std::int32_t>(reader);
    default:
      return std::nullopt;
  }
}

std::optional<std::uint64_t> read_pointer(byte_reader& reader, std::uint8_t encoding,
                                          const pointer_bases& bases, const elf_image& image) {
  if (encoding == pointer_omitted) return std::nullopt;
  if (encoding == aligned) {
    const std::uint64_t past = (bases.section + reader.offset()) % sizeof(std::uint64_t);
    if (past != 0) reader.take(sizeof(std::uint64_t) - past);
    return reader.number<std::uint64_t>();
  }
  const std::uint64_t position = bases.section + reader.offset();
  const auto value = read_plain(reader, encoding);
  const auto base = base_of(encoding & relation_mask, position, bases);
  if (!value || !base || reader.failed()) return std::nullopt;
  const std::uint64_t address = *base + *value;
  if ((encoding & indirect) == 0) return address;
  const auto pointed = image.loaded(address, sizeof(std::uint64_t));
  if (!pointed || pointed->bytes.size() < sizeof(std::uint64_t)) return std::nullopt;
  std::uint64_t result = 0;
  std::memcpy(&result, pointed->bytes.data(), sizeof result);
  return result;
}

}  // namespace stallscope::unwind
