// The values of attributes in their forms. Costs a few ns per value and allocates nothing. Any
// thread may call these functions.
//   byte_reader reader(unit_bytes, offset);
//   const value line = read_value(reader, form::udata, format);
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>

#include "base/byte_reader.hpp"
#include "dwarf/constants.hpp"

namespace stallscope::dwarf {

// The sizes that the header of a unit or of a line table sets.
struct entry_format {
  std::uint16_t version = 5;
  std::uint8_t address_size = 8;
  std::uint8_t offset_size = 4;

  friend bool operator==(const entry_format&, const entry_format&) = default;
};

// The value of an attribute: a number or an index, or the bytes of a block or of a text.
struct value {
  form kind = form::flag_present;
  std::uint64_t number = 0;
  std::span<const std::byte> bytes;
};

// The number of bytes of a value, -1 if it varies or the form is not known.
int fixed_size(form kind, const entry_format& format) noexcept;

// Throws malformed for an unknown form. Past the end, the reader has failed() and the value is 0.
value read_value(byte_reader& reader, form kind, const entry_format& format,
                 std::int64_t implicit = 0);
// As read_value(), without the value.
void skip_value(byte_reader& reader, form kind, const entry_format& format);

// A number of 1 to 8 bytes.
std::uint64_t read_number(byte_reader& reader, unsigned size_bytes) noexcept;
// A length of a table: 4 bytes, or 12 in the 64-bit format, which sets `offset_size` to 8. Throws
// malformed for a reserved length.
std::uint64_t read_initial_length(byte_reader& reader, std::uint8_t& offset_size);

}  // namespace stallscope::dwarf
