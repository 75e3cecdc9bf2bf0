// The program of a line table. It is run once for all addresses of a unit and keeps no rows. Costs
// about 5 ns per row.
//   const std::vector<line_row> rows = find_lines(header, addresses);
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "dwarf/line_header.hpp"

namespace stallscope::dwarf {

struct line_row {
  std::uint64_t file = 0;
  std::uint32_t line = 0;  // 0: the table has no line for the address
};

// The row of each address, which are sorted. Rows before damage stay valid: `damaged` is set.
std::vector<line_row> find_lines(const line_header& header,
                                 std::span<const std::uint64_t> addresses, bool& damaged);

}  // namespace stallscope::dwarf
