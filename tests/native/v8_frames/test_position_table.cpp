#include <doctest/doctest.h>

#include <vector>

#include "v8_frames/position_table.hpp"

namespace stallscope::v8_frames {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<int> values) {
  std::vector<std::byte> bytes;
  for (const int value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

}  // namespace

TEST_CASE("a position is that of the last entry at or before the code offset") {
  // Code offsets 0 and 8; positions 2 * (10 + 1) and 2 * (20 + 1).
  const position_table table{bytes_of({2, 44, 16, 40})};
  CHECK(table.at(0)->offset == 10);
  CHECK(table.at(7)->offset == 10);
  CHECK(table.at(8)->offset == 20);
  CHECK(table.at(8)->inlining == -1);
  CHECK_FALSE(table.at(-1));
}

TEST_CASE("a negative delta marks an expression and counts as its complement") {
  // -(3 + 1) is zigzag 7: the code offset grows by 3, from -1 to 2.
  const position_table table{bytes_of({7, 4})};
  CHECK_FALSE(table.at(1));
  CHECK(table.at(2)->offset == 0);
}

TEST_CASE("a damaged table ends at the damage") {
  CHECK(position_table{bytes_of({2})}.empty());
  CHECK(position_table{bytes_of({0xff, 0xff, 0xff})}.empty());
  CHECK_FALSE(position_table{bytes_of({2, 44, 0x80})}.at(100)->offset != 10);
}

TEST_CASE("inlined calls are numbered in the upper bits") {
  const std::uint64_t word = (std::uint64_t{3} << 31U) | (std::uint64_t{8} << 1U);
  CHECK(decode_position(word).inlining == 2);
  CHECK(decode_position(word).offset == 7);
}

}  // namespace stallscope::v8_frames
