// Paths of files in line tables, and headers that name impossible numbers of files.
#include <doctest/doctest.h>

#include <cstdint>
#include <string>
#include <vector>

#include "dwarf/line_header.hpp"
#include "dwarf/malformed.hpp"

namespace {

using namespace stallscope::dwarf;

// A table of version 5 with one directory and the given description of its files.
std::vector<std::uint8_t> table(const std::vector<std::uint8_t>& files) {
  std::vector<std::uint8_t> header{1, 1, 1, 0xfb, 14, 1, 1, 1, 8, 1, 'd', 0};
  header.insert(header.end(), files.begin(), files.end());
  std::vector<std::uint8_t> bytes{0, 0, 0, 0, 5, 0, 8, 0, static_cast<std::uint8_t>(header.size()),
                                  0, 0, 0};
  bytes.insert(bytes.end(), header.begin(), header.end());
  bytes[0] = static_cast<std::uint8_t>(bytes.size() - 4);
  return bytes;
}

line_header header_of(const std::vector<std::uint8_t>& bytes) {
  sections content;
  content.line = section(std::as_bytes(std::span(bytes)));
  unit owner;
  owner.line_table = 0;
  return read_line_header(content, owner);
}

}  // namespace

TEST_CASE("a path has no empty, single-dot or resolved parts") {
  CHECK(normal_path("/a//b/./c/../d") == "/a/b/d");
  CHECK(normal_path("/../a/") == "/a");
  CHECK(normal_path("../a/../../b") == "../../b");
  CHECK(normal_path("a/..") == ".");
  CHECK(normal_path("/") == "/");
  CHECK(normal_path("") == ".");
}

TEST_CASE("a file is below its directory, which is below that of the unit") {
  const auto bytes = table({2, 1, 8, 2, 11, 2, 'a', 0, 0, '/', 'b', 0, 9});
  const line_header header = header_of(bytes);
  CHECK(header.path(0, "/build") == "/build/d/a");
  CHECK(header.path(0, "") == "d/a");
  CHECK(header.path(1, "/build").empty());  // its directory is missing
  CHECK(header.path(2, "/build").empty());
}

TEST_CASE("a number of files without descriptions, or larger than the table, is malformed") {
  CHECK_THROWS_AS(header_of(table({0, 0xff, 0xff, 0xff, 0x7f})), malformed);
  CHECK_THROWS_AS(header_of(table({1, 1, 8, 100})), malformed);
  CHECK_THROWS_AS(header_of(table({1, 1, 0x7f, 1, 0})), malformed);  // an unknown form
}

TEST_CASE("a line range of zero is malformed") {
  auto bytes = table({0, 0});
  bytes[16] = 0;
  CHECK_THROWS_AS(header_of(bytes), malformed);
}
