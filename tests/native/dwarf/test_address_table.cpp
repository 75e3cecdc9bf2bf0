// .debug_aranges: units by address.
#include <doctest/doctest.h>

#include <cstdint>
#include <vector>

#include "dwarf/address_table.hpp"

namespace {

using namespace stallscope::dwarf;

struct pair {
  std::uint32_t begin;
  std::uint32_t length;
};

void append(std::vector<std::uint8_t>& bytes, std::uint32_t number) {
  for (unsigned shift = 0; shift < 32; shift += 8) {
    bytes.push_back(static_cast<std::uint8_t>(number >> shift));
  }
}

// A set with addresses of 4 bytes.
std::vector<std::uint8_t> set_of(std::uint32_t unit_offset, const std::vector<pair>& pairs) {
  std::vector<std::uint8_t> bytes;
  append(bytes, static_cast<std::uint32_t>(12 + 8 * pairs.size() + 8));
  bytes.insert(bytes.end(), {2, 0});
  append(bytes, unit_offset);
  bytes.insert(bytes.end(), {4, 0});
  append(bytes, 0);  // padding to a multiple of a pair
  for (const pair& range : pairs) {
    append(bytes, range.begin);
    append(bytes, range.length);
  }
  append(bytes, 0);
  append(bytes, 0);
  return bytes;
}

}  // namespace

TEST_CASE("an address belongs to the unit with its range") {
  auto bytes = set_of(0x40, {{0x1000, 0x10}, {0x3000, 0x10}});
  const auto other = set_of(0x80, {{0x2000, 0x10}});
  bytes.insert(bytes.end(), other.begin(), other.end());
  section stored(std::as_bytes(std::span(bytes)));
  const address_table table(stored);
  CHECK(table.unit_at(0x100f) == 0x40);
  CHECK(table.unit_at(0x2000) == 0x80);
  CHECK(table.unit_at(0x3001) == 0x40);
  CHECK(table.unit_at(0x1010) == std::nullopt);
  CHECK(table.unit_at(0) == std::nullopt);
  CHECK(table.lists(0x80));
  CHECK_FALSE(table.lists(0));
}

TEST_CASE("of units with the same template instance, the first has the code") {
  auto bytes = set_of(0x200, {{0x1000, 0x10}});
  for (const std::uint32_t offset : {0x100U, 0x300U}) {
    const auto other = set_of(offset, {{0x1000, 0x10}});
    bytes.insert(bytes.end(), other.begin(), other.end());
  }
  section stored(std::as_bytes(std::span(bytes)));
  CHECK(address_table(stored).unit_at(0x1008) == 0x100);
}

TEST_CASE("sets before damage stay valid") {
  auto bytes = set_of(0x40, {{0x1000, 0x10}});
  bytes.insert(bytes.end(), {0xf0, 0xff, 0xff, 0xff, 1});  // a reserved length
  section stored(std::as_bytes(std::span(bytes)));
  CHECK(address_table(stored).unit_at(0x1000) == 0x40);
}
