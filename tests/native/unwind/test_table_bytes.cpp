// Tests the serialized form of tables, and damaged bytes.
#include <doctest/doctest.h>

#include "elf_builder.hpp"
#include "rule_text.hpp"

namespace unwind = stallscope::unwind;
using elf_builder::code;
using unwind::table;
using unwind::table_error;

namespace {

table example() {
  return table::compile(elf_builder::build(
      {{".eh_frame", elf_builder::eh_frame({0x41, 0x0e, 16, 0x86, 2, 0x41, 0x0f, 2, 0x77, 8,  //
                                            0x41, 0x09, 3, 0, 0x10, 12, 2, 0x77, 8})}}));
}

}  // namespace

TEST_CASE("a deserialized table equals the compiled table") {
  const table made = example();
  const auto kept = made.to_bytes();
  const table read = table::from_bytes(kept);
  CHECK(read.to_bytes() == kept);
  CHECK(read.rows() == made.rows());
  CHECK(read.arch() == made.arch());
  CHECK(read.bad_entries() == made.bad_entries());
  CHECK(read.frame_pointer_share() == made.frame_pointer_share());
  CHECK(read.address_of(0x20) == made.address_of(0x20));
  for (std::uint64_t at = code; at < code + 8; ++at) {
    CHECK(unwind::rule_at(read, at) == unwind::rule_at(made, at));
  }
}

TEST_CASE("truncated bytes and trailing bytes are rejected") {
  auto kept = example().to_bytes();
  for (std::size_t size = 0; size < kept.size(); ++size) {
    CHECK_THROWS_AS(table::from_bytes(std::span(kept).first(size)), table_error);
  }
  kept.push_back(std::byte{0});
  CHECK_THROWS_AS(table::from_bytes(kept), table_error);
}

TEST_CASE("another version is rejected") {
  auto kept = example().to_bytes();
  kept[8] = std::byte{0x7f};
  CHECK_THROWS_WITH_AS(table::from_bytes(kept), "unwind table of another version", table_error);
}

TEST_CASE("a table with any damaged byte is rejected or safe to use") {
  const auto kept = example().to_bytes();
  for (std::size_t at = 0; at < kept.size(); ++at) {
    for (const unsigned value : {0x00U, 0x01U, 0x21U, 0x7fU, 0x80U, 0xffU}) {
      auto damaged = kept;
      damaged[at] = static_cast<std::byte>(value);
      try {
        const table read = table::from_bytes(damaged);
        for (std::uint64_t address = code; address < code + 8; ++address)
          unwind::rule_at(read, address);
      } catch (const table_error&) {
        continue;
      }
    }
  }
}
