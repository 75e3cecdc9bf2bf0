// The rows of a line table's program, by address.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "dwarf/line_program.hpp"

namespace {

using namespace stallscope::dwarf;

line_header header_with(const std::vector<std::uint8_t>& program) {
  line_header header;
  header.line_base = -3;
  header.line_range = 12;
  header.opcode_base = 10;
  header.operand_counts = {0, 1, 1, 1, 1, 0, 0, 0, 1};
  header.program = std::as_bytes(std::span(program));
  return header;
}

std::vector<std::uint32_t> lines_of(const std::vector<std::uint8_t>& program,
                                    const std::vector<std::uint64_t>& addresses,
                                    bool expect_damage = false) {
  bool damaged = false;
  std::vector<std::uint32_t> lines;
  for (const line_row& row : find_lines(header_with(program), addresses, damaged)) {
    lines.push_back(row.line);
  }
  CHECK(damaged == expect_damage);
  return lines;
}

// Programs are joined; at_100 and at_50 set the address, end ends a sequence.
std::vector<std::uint8_t> operator+(std::vector<std::uint8_t> left,
                                    const std::vector<std::uint8_t>& right) {
  left.insert(left.end(), right.begin(), right.end());
  return left;
}

const std::vector<std::uint8_t> at_100{0, 2, 2, 100};
const std::vector<std::uint8_t> at_50{0, 2, 2, 50};
const std::vector<std::uint8_t> end{0, 1, 1};

}  // namespace

TEST_CASE("an address has the last row at or before it, up to the end of the sequence") {
  // Row 100: line 1 + 4; special opcode 10 + 3 + 1 + 12 * 2: row 102, line 6; end at 105.
  const auto program = at_100 + std::vector<std::uint8_t>{3, 4, 1, 38, 2, 3} + end;
  CHECK(lines_of(program, {99, 100, 101, 102, 104, 105}) ==
        std::vector<std::uint32_t>{0, 5, 5, 6, 6, 0});
}

TEST_CASE("of rows with the same address the last applies") {
  const auto program = at_100 + std::vector<std::uint8_t>{1, 3, 6, 1, 2, 1} + end;
  CHECK(lines_of(program, {100}) == std::vector<std::uint32_t>{7});
}

TEST_CASE("sequences need not be in the order of their addresses") {
  const auto first = at_100 + std::vector<std::uint8_t>{1, 2, 4} + end;
  const auto second = at_50 + std::vector<std::uint8_t>{3, 8, 1, 2, 4} + end;
  CHECK(lines_of(first + second, {50, 53, 100, 103}) == std::vector<std::uint32_t>{9, 9, 1, 1});
}

TEST_CASE("rows before damage stay valid") {
  const auto program =
      at_100 + std::vector<std::uint8_t>{1, 2, 4} + end + std::vector<std::uint8_t>{0, 99};
  CHECK(lines_of(program, {101}, true) == std::vector<std::uint32_t>{1});
}
