// The header of a line table (DWARF 2 to 5): its files, and what its program needs. Costs a few
// microseconds per unit; texts are views of the sections.
//   const line_header header = read_line_header(from, owner);
//   const std::string path = header.path(file, directory_of_the_unit);
#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "dwarf/unit.hpp"

namespace stallscope::dwarf {

struct line_file {
  std::string_view name;
  std::uint64_t directory = 0;  // index
};

struct line_header {
  entry_format format;
  std::uint8_t instruction_bytes = 1;
  std::uint8_t operations_per_instruction = 1;
  std::int8_t line_base = 0;
  std::uint8_t line_range = 1;
  std::uint8_t opcode_base = 13;
  std::vector<std::uint8_t> operand_counts;  // of standard opcodes, from 1
  std::vector<std::string_view> directories;
  std::vector<line_file> files;  // from index 0 in version 5, from 1 before
  std::span<const std::byte> program;

  // The path of a file below `directory`, that of the unit, without "." and ".."; empty if the
  // table has no such file.
  [[nodiscard]] std::string path(std::uint64_t file, std::string_view directory) const;
};

// Throws malformed; the unit must have a line table.
line_header read_line_header(sections& from, const unit& owner);

// A path without empty and "." parts, and with ".." resolved by its text, as Python's normpath.
std::string normal_path(std::string_view path);

}  // namespace stallscope::dwarf
