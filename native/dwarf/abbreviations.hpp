// A table of abbreviations: the tag and the attributes of the entries of a unit. Costs 8 bytes per
// attribute. Any thread may read a constructed table.
//   const abbreviation_table table(abbrev.from(offset), format);
//   const abbreviation& kind = table.at(reader.uleb128());
//   for (const attribute_spec& spec : table.attributes(kind)) ...
#pragma once

#include <cstdint>
#include <span>
#include <unordered_map>
#include <vector>

#include "dwarf/form.hpp"

namespace stallscope::dwarf {

struct attribute_spec {
  attribute name;
  form kind;
  std::uint32_t implicit;  // index of the value of form::implicit_const
};

// What an entry means for the code of a unit.
enum class entry_role : std::uint8_t {
  other,
  container,  // namespaces and modules: functions are inside
  block,      // a lexical block
  function,   // a function with code
  inlined,    // an inlined function with code
};

struct abbreviation {
  tag kind = tag::compile_unit;
  entry_role role = entry_role::other;
  bool has_children = false;
  std::uint32_t first_attribute = 0;
  std::uint32_t attribute_count = 0;
  std::int32_t fixed_bytes = -1;  // of all values; -1: it varies
};

class abbreviation_table {
 public:
  // Reads up to the null code that ends a table. Throws malformed.
  abbreviation_table(std::span<const std::byte> bytes, const entry_format& format);

  // Throws malformed for a code that the table does not have.
  [[nodiscard]] const abbreviation& at(std::uint64_t code) const;
  [[nodiscard]] std::span<const attribute_spec> attributes(const abbreviation& entry) const {
    return std::span(attributes_).subspan(entry.first_attribute, entry.attribute_count);
  }
  [[nodiscard]] value read(byte_reader& reader, const attribute_spec& spec,
                           const entry_format& format) const {
    return read_value(reader, spec.kind, format,
                      spec.kind == form::implicit_const ? implicit_[spec.implicit] : 0);
  }

 private:
  void read_attributes(byte_reader& reader, abbreviation& entry, const entry_format& format);

  std::vector<abbreviation> entries_;  // code 1, 2, ...
  std::unordered_map<std::uint64_t, abbreviation> others_;
  std::vector<attribute_spec> attributes_;
  std::vector<std::int64_t> implicit_;
};

}  // namespace stallscope::dwarf
