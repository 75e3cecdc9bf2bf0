// Units of .debug_info: their headers, which split the section without decoding entries, and the
// attributes of the first entry that the others refer to.
//   for (const unit_header& header : read_unit_headers(info).headers) ...
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "dwarf/abbreviations.hpp"
#include "dwarf/section.hpp"

namespace stallscope::dwarf {

// Offsets are in .debug_info.
struct unit_header {
  std::uint64_t offset = 0;
  std::uint64_t first_entry = 0;
  std::uint64_t end = 0;
  std::uint64_t abbreviations = 0;  // offset in .debug_abbrev
  entry_format format;
  bool has_code = true;  // false for units of types
};

struct unit_headers {
  std::vector<unit_header> headers;  // by offset
  std::uint64_t unreadable = 0;      // units of unknown versions, and the bytes after damage as one
};

// Costs a read of 16 KiB per unit, unless the section is in memory.
unit_headers read_unit_headers(section& info);

// A unit with its table of abbreviations.
struct unit {
  unit_header header;
  // From the start of the section to the end of the unit, so that an offset is an index; empty
  // until load_entries().
  std::span<const std::byte> bytes;
  std::shared_ptr<const abbreviation_table> abbreviations;
  // Of the first entry.
  std::optional<value> low_pc;
  std::optional<value> high_pc;
  std::optional<value> ranges;
  std::optional<value> name;
  std::optional<value> directory;
  std::optional<std::uint64_t> line_table;
  std::uint64_t str_offsets_base = 0;
  std::uint64_t addr_base = 0;
  std::uint64_t rnglists_base = 0;
  bool split = false;              // its functions are in a .dwo file
  std::uint64_t second_entry = 0;  // the entry after the first; 0 without children
};

// Reads the first entry. Throws malformed.
unit read_unit(sections& from, const unit_header& header,
               std::shared_ptr<const abbreviation_table> abbreviations);

// Loads all entries of the unit. Throws malformed.
void load_entries(sections& from, unit& owner);

// An address, directly or by its index in .debug_addr. Throws malformed for other forms.
std::uint64_t address_of(sections& from, const unit& owner, const value& address);
// A text of the main file. Throws malformed; nullopt for a text of the supplementary file, whose
// offset in that file's .debug_str is the value, and for other forms.
std::optional<std::string_view> text_of(sections& from, const unit& owner, const value& text);
// Whether the value is an offset in the supplementary file (dwz).
bool is_supplementary(form kind) noexcept;

}  // namespace stallscope::dwarf
