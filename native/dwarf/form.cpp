#include "dwarf/form.hpp"

#include <algorithm>
#include <cstring>

#include "dwarf/malformed.hpp"

namespace stallscope::dwarf {
namespace {

constexpr std::uint32_t first_reserved_length = 0xfffffff0;
constexpr std::uint32_t length_of_64_bits = 0xffffffff;

// The text up to the next null byte, without it.
std::span<const std::byte> take_text(byte_reader& reader) {
  byte_reader rest = reader;
  const auto bytes = rest.take(rest.left());
  const auto* end = bytes.empty()
                        ? nullptr
                        : static_cast<const std::byte*>(std::memchr(bytes.data(), 0, bytes.size()));
  if (end == nullptr) throw malformed("a text without an end");
  const auto length = static_cast<std::size_t>(end - bytes.data());
  reader.skip(length + 1);
  return bytes.first(length);
}

// The form of a value that names its form itself.
form indirect_form(byte_reader& reader) {
  const std::uint64_t number = reader.uleb128();
  const auto kind = static_cast<form>(number);
  if (number > UINT16_MAX || kind == form::indirect || kind == form::implicit_const) {
    throw malformed("an impossible indirect form");
  }
  return kind;
}

}  // namespace

std::uint64_t read_number(byte_reader& reader, unsigned size_bytes) noexcept {
  const auto bytes = reader.take(size_bytes);
  std::uint64_t number = 0;
  if (!bytes.empty()) std::memcpy(&number, bytes.data(), std::min(bytes.size(), sizeof number));
  return number;
}

std::uint64_t read_initial_length(byte_reader& reader, std::uint8_t& offset_size) {
  const auto length = reader.number<std::uint32_t>();
  offset_size = length == length_of_64_bits ? 8 : 4;
  if (length == length_of_64_bits) return reader.number<std::uint64_t>();
  if (length >= first_reserved_length) throw malformed("a reserved length");
  return length;
}

int fixed_size(form kind, const entry_format& format) noexcept {
  switch (kind) {
    case form::addr:
      return format.address_size;
    case form::ref_addr:
      return format.version <= 2 ? format.address_size : format.offset_size;
    case form::strp:
    case form::line_strp:
    case form::sec_offset:
    case form::strp_sup:
    case form::gnu_ref_alt:
    case form::gnu_strp_alt:
      return format.offset_size;
    case form::flag_present:
    case form::implicit_const:
      return 0;
    case form::data1:
    case form::flag:
    case form::ref1:
    case form::strx1:
    case form::addrx1:
      return 1;
    case form::data2:
    case form::ref2:
    case form::strx2:
    case form::addrx2:
      return 2;
    case form::strx3:
    case form::addrx3:
      return 3;
    case form::data4:
    case form::ref4:
    case form::ref_sup4:
    case form::strx4:
    case form::addrx4:
      return 4;
    case form::data8:
    case form::ref8:
    case form::ref_sig8:
    case form::ref_sup8:
      return 8;
    case form::data16:
      return 16;
    default:
      return -1;
  }
}

value read_value(byte_reader& reader, form kind, const entry_format& format,
                 std::int64_t implicit) {
  value result{kind, 0, {}};
  const int size = fixed_size(kind, format);
  if (size > 8) {
    result.bytes = reader.take(static_cast<std::uint64_t>(size));
    return result;
  }
  if (size > 0) {
    result.number = read_number(reader, static_cast<unsigned>(size));
    return result;
  }
  switch (kind) {
    case form::flag_present:
      result.number = 1;
      return result;
    case form::implicit_const:
      result.number = static_cast<std::uint64_t>(implicit);
      return result;
    case form::sdata:
      result.number = static_cast<std::uint64_t>(reader.sleb128());
      return result;
    case form::udata:
    case form::ref_udata:
    case form::strx:
    case form::addrx:
    case form::loclistx:
    case form::rnglistx:
    case form::gnu_addr_index:
    case form::gnu_str_index:
      result.number = reader.uleb128();
      return result;
    case form::string:
      result.bytes = take_text(reader);
      return result;
    case form::block1:
      result.bytes = reader.take(reader.number<std::uint8_t>());
      return result;
    case form::block2:
      result.bytes = reader.take(reader.number<std::uint16_t>());
      return result;
    case form::block4:
      result.bytes = reader.take(reader.number<std::uint32_t>());
      return result;
    case form::block:
    case form::exprloc:
      result.bytes = reader.take(reader.uleb128());
      return result;
    case form::indirect:
      return read_value(reader, indirect_form(reader), format);
    default:
      throw malformed("an unknown form");
  }
}

void skip_value(byte_reader& reader, form kind, const entry_format& format) {
  const int size = fixed_size(kind, format);
  if (size >= 0) {
    reader.skip(static_cast<std::uint64_t>(size));
  } else {
    read_value(reader, kind, format);
  }
}

}  // namespace stallscope::dwarf
