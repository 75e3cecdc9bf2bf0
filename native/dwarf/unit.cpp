#include "dwarf/unit.hpp"

#include <algorithm>
#include <utility>

#include "dwarf/malformed.hpp"

namespace stallscope::dwarf {
namespace {

constexpr std::uint64_t max_header_bytes = 40;
constexpr std::uint64_t first_entry_bytes = 1024;  // more than most have
constexpr std::size_t max_units = std::size_t{1} << 22U;

// Kinds of units in DWARF 5.
constexpr std::uint8_t type_unit = 0x02;
constexpr std::uint8_t skeleton_unit = 0x04;
constexpr std::uint8_t split_compile_unit = 0x05;
constexpr std::uint8_t split_type_unit = 0x06;

// Reads the header after its length; nullopt for a version or sizes that are not known.
std::optional<unit_header> read_header_fields(byte_reader& reader, unit_header header) {
  entry_format& format = header.format;
  format.version = reader.number<std::uint16_t>();
  if (format.version < 2 || format.version > 5) return std::nullopt;
  std::uint8_t kind = 0;
  if (format.version >= 5) {
    kind = reader.number<std::uint8_t>();
    format.address_size = reader.number<std::uint8_t>();
  }
  header.abbreviations = read_number(reader, format.offset_size);
  if (format.version < 5) format.address_size = reader.number<std::uint8_t>();
  if (kind == skeleton_unit || kind == split_compile_unit) reader.skip(8);
  if (kind == type_unit || kind == split_type_unit) {
    reader.skip(std::uint64_t{8} + format.offset_size);
    header.has_code = false;
  }
  header.first_entry = header.offset + reader.offset();
  const bool known_size = format.address_size == 4 || format.address_size == 8;
  if (!known_size || reader.failed() || header.first_entry > header.end) return std::nullopt;
  return header;
}

std::string_view as_text(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

void set_attribute(unit& result, attribute name, const value& content) {
  switch (name) {
    case attribute::low_pc:
      result.low_pc = content;
      break;
    case attribute::high_pc:
      result.high_pc = content;
      break;
    case attribute::ranges:
      result.ranges = content;
      break;
    case attribute::name:
      result.name = content;
      break;
    case attribute::comp_dir:
      result.directory = content;
      break;
    case attribute::stmt_list:
      result.line_table = content.number;
      break;
    case attribute::str_offsets_base:
      result.str_offsets_base = content.number;
      break;
    case attribute::addr_base:
      result.addr_base = content.number;
      break;
    case attribute::rnglists_base:
      result.rnglists_base = content.number;
      break;
    case attribute::dwo_name:
    case attribute::gnu_dwo_name:
      result.split = true;
      break;
    default:
      break;
  }
}

std::uint64_t indexed(std::uint64_t base, std::uint64_t index, unsigned size_bytes) {
  if (index > UINT32_MAX || base > UINT64_MAX / 2) throw malformed("an impossible index");
  return base + index * size_bytes;
}

// Reads the first entry within the bytes before `end`; returns false if it is longer.
bool read_first_entry(sections& from, unit& result, std::uint64_t end) {
  const unit_header& header = result.header;
  from.info.bytes(header.offset, end - header.offset);
  byte_reader reader(from.info.loaded(end), static_cast<std::size_t>(header.first_entry));
  const std::uint64_t code = reader.uleb128();
  if (reader.failed()) return false;
  if (code == 0) return true;
  const abbreviation& first = result.abbreviations->at(code);
  for (const attribute_spec& spec : result.abbreviations->attributes(first)) {
    try {
      set_attribute(result, spec.name, result.abbreviations->read(reader, spec, header.format));
    } catch (const malformed&) {
      if (end == header.end) throw;
      return false;  // a text may end later
    }
  }
  if (first.has_children) result.second_entry = reader.offset();
  return !reader.failed();
}

}  // namespace

unit_headers read_unit_headers(section& info) {
  unit_headers result;
  std::uint64_t offset = 0;
  while (offset < info.size() && result.headers.size() < max_units) {
    byte_reader reader(info.bytes(offset, std::min(max_header_bytes, info.size() - offset)));
    unit_header header;
    header.offset = offset;
    std::uint64_t length = 0;
    try {
      length = read_initial_length(reader, header.format.offset_size);
    } catch (const malformed&) {
      length = 0;
    }
    const std::uint64_t start = offset + reader.offset();
    if (reader.failed() || length == 0 || start > info.size() || length > info.size() - start) {
      ++result.unreadable;  // where the next unit begins is not known
      break;
    }
    header.end = start + length;
    if (const auto complete = read_header_fields(reader, header)) {
      result.headers.push_back(*complete);
    } else {
      ++result.unreadable;
    }
    offset = header.end;
  }
  return result;
}

unit read_unit(sections& from, const unit_header& header,
               std::shared_ptr<const abbreviation_table> abbreviations) {
  unit result;
  result.header = header;
  result.abbreviations = std::move(abbreviations);
  // Defaults of units without the attribute: the first table after its header.
  result.str_offsets_base = header.format.version >= 5 ? 2 * header.format.offset_size : 0;
  const std::uint64_t head = std::min(header.end, header.first_entry + first_entry_bytes);
  if (!read_first_entry(from, result, head) && !read_first_entry(from, result, header.end)) {
    throw malformed("a unit that ends in its first entry");
  }
  return result;
}

void load_entries(sections& from, unit& owner) {
  from.info.bytes(owner.header.offset, owner.header.end - owner.header.offset);
  owner.bytes = from.info.loaded(owner.header.end);
}

std::uint64_t address_of(sections& from, const unit& owner, const value& address) {
  switch (address.kind) {
    case form::addr:
      return address.number;
    case form::addrx:
    case form::addrx1:
    case form::addrx2:
    case form::addrx3:
    case form::addrx4:
    case form::gnu_addr_index: {
      const unsigned size = owner.header.format.address_size;
      return from.addr.number(indexed(owner.addr_base, address.number, size), size);
    }
    default:
      throw malformed("an address of another form");
  }
}

std::optional<std::string_view> text_of(sections& from, const unit& owner, const value& text) {
  switch (text.kind) {
    case form::string:
      return as_text(text.bytes);
    case form::strp:
      return from.str.text(text.number);
    case form::line_strp:
      return from.line_str.text(text.number);
    case form::strx:
    case form::strx1:
    case form::strx2:
    case form::strx3:
    case form::strx4:
    case form::gnu_str_index: {
      const unsigned size = owner.header.format.offset_size;
      return from.str.text(
          from.str_offsets.number(indexed(owner.str_offsets_base, text.number, size), size));
    }
    default:
      return std::nullopt;
  }
}

bool is_supplementary(form kind) noexcept {
  return kind == form::gnu_ref_alt || kind == form::gnu_strp_alt || kind == form::ref_sup4 ||
         kind == form::ref_sup8 || kind == form::strp_sup;
}

}  // namespace stallscope::dwarf
