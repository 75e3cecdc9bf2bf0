#include "dwarf/abbreviations.hpp"

#include <algorithm>
#include <limits>

#include "dwarf/malformed.hpp"

namespace stallscope::dwarf {
namespace {

constexpr std::size_t max_attributes = std::size_t{1} << 24U;  // of a table

entry_role role_of(tag kind, bool has_code) {
  switch (kind) {
    case tag::namespace_scope:
    case tag::module:
      return entry_role::container;
    case tag::lexical_block:
      return entry_role::block;
    case tag::subprogram:
      return has_code ? entry_role::function : entry_role::other;
    case tag::inlined_subroutine:
      return has_code ? entry_role::inlined : entry_role::other;
    default:
      return entry_role::other;
  }
}

template <typename Enum>
Enum narrow(std::uint64_t number) {
  // Numbers that are not known stay unknown.
  return static_cast<Enum>(
      std::min<std::uint64_t>(number, std::numeric_limits<std::uint16_t>::max()));
}

}  // namespace

abbreviation_table::abbreviation_table(std::span<const std::byte> bytes,
                                       const entry_format& format) {
  byte_reader reader(bytes);
  while (true) {
    const std::uint64_t code = reader.uleb128();
    if (code == 0) break;
    abbreviation entry;
    entry.kind = narrow<tag>(reader.uleb128());
    entry.has_children = reader.number<std::uint8_t>() != 0;
    read_attributes(reader, entry, format);
    if (reader.failed()) break;
    if (code == entries_.size() + 1) {
      entries_.push_back(entry);
    } else {
      others_.emplace(code, entry);
    }
  }
  if (reader.failed()) throw malformed("a table of abbreviations without an end");
}

void abbreviation_table::read_attributes(byte_reader& reader, abbreviation& entry,
                                         const entry_format& format) {
  entry.first_attribute = static_cast<std::uint32_t>(attributes_.size());
  bool has_code = false;
  std::int64_t fixed = 0;
  while (!reader.failed()) {
    const std::uint64_t name = reader.uleb128();
    const std::uint64_t kind = reader.uleb128();
    if (name == 0 && kind == 0) break;
    attribute_spec spec{narrow<attribute>(name), narrow<form>(kind), 0};
    if (spec.kind == form::implicit_const) {
      spec.implicit = static_cast<std::uint32_t>(implicit_.size());
      implicit_.push_back(reader.sleb128());
    }
    has_code |= spec.name == attribute::low_pc || spec.name == attribute::ranges;
    const int size = fixed_size(spec.kind, format);
    fixed = size < 0 || fixed < 0 ? -1 : fixed + size;
    if (attributes_.size() == max_attributes) throw malformed("too many abbreviations");
    attributes_.push_back(spec);
  }
  entry.attribute_count = static_cast<std::uint32_t>(attributes_.size()) - entry.first_attribute;
  entry.fixed_bytes = static_cast<std::int32_t>(fixed);
  entry.role = role_of(entry.kind, has_code);
}

const abbreviation& abbreviation_table::at(std::uint64_t code) const {
  if (code - 1 < entries_.size()) return entries_[static_cast<std::size_t>(code - 1)];
  const auto other = others_.find(code);
  if (other == others_.end()) throw malformed("an entry without an abbreviation");
  return other->second;
}

}  // namespace stallscope::dwarf
