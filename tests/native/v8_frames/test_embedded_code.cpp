#include <doctest/doctest.h>

#include <initializer_list>
#include <vector>

#include "v8_frames/embedded_code.hpp"

namespace stallscope::v8_frames {
namespace {

std::optional<returned_value> decoded(std::initializer_list<unsigned> values,
                                      std::uint64_t address = 0x1000) {
  std::vector<std::byte> code;
  for (const unsigned value : values) code.push_back(static_cast<std::byte>(value));
  return decode_returned_value(code, address);
}

}  // namespace

TEST_CASE("a function that loads a variable returns what the variable contains") {
  // As in libnode.so.108: lea rax, [rip+0x1dcaa99]; mov rax, [rax]; ret.
  const auto pointer =
      decoded({0x48, 0x8d, 0x05, 0x99, 0xaa, 0xdc, 0x01, 0x48, 0x8b, 0x00, 0xc3}, 0xf68890);
  REQUIRE(pointer);
  CHECK(pointer->value == 0x2d33330);
  CHECK(pointer->loads == 1);
  const auto size = decoded({0x48, 0x8d, 0x05, 0x89, 0xc2, 0x9a, 0x01, 0x8b, 0x00, 0xc3}, 0xf688a0);
  REQUIRE(size);
  CHECK(size->value == 0x2914b30);
  CHECK(size->loads == 1);
  CHECK(decoded({0x8b, 0x05, 0xff, 0xff, 0xff, 0xff, 0xc3})->value == 0x1005);
  CHECK(decoded({0x48, 0x8b, 0x05, 0x01, 0, 0, 0, 0xc3})->value == 0x1008);
}

TEST_CASE("a function that computes an address returns it") {
  const auto address = decoded({0x48, 0x8d, 0x05, 0x10, 0, 0, 0, 0xc3});
  REQUIRE(address);
  CHECK(address->value == 0x1017);
  CHECK(address->loads == 0);
  // mov eax, 0x18c4000; ret, as in a program that is not relocated.
  CHECK(decoded({0xb8, 0x00, 0x40, 0x8c, 0x01, 0xc3})->value == 0x18c4000);
  CHECK(decoded({0xf3, 0x0f, 0x1e, 0xfa, 0xb8, 1, 0, 0, 0, 0xc3})->value == 1);
}

TEST_CASE("functions of arm64 that only return a value are decoded") {
  // adrp x0, +2 pages; ldr x0, [x0, #0x328]; ret, with a landing pad before it.
  const auto pointer = decoded(
      {0x5f, 0x24, 0x03, 0xd5, 0x00, 0, 0, 0xd0, 0x00, 0x94, 0x41, 0xf9, 0xc0, 0x03, 0x5f, 0xd6},
      0x1ffc);
  REQUIRE(pointer);
  CHECK(pointer->value == 0x4328);
  CHECK(pointer->loads == 1);
  // adrp x0, -1 page; add x0, x0, #0x10; ret.
  const auto address =
      decoded({0xe0, 0xff, 0xff, 0xf0, 0x00, 0x40, 0, 0x91, 0xc0, 0x03, 0x5f, 0xd6}, 0x2004);
  REQUIRE(address);
  CHECK(address->value == 0x1010);
  CHECK(address->loads == 0);
  const auto size =
      decoded({0x00, 0, 0, 0x90, 0x00, 0x10, 0x40, 0xb9, 0xc0, 0x03, 0x5f, 0xd6}, 0x2004);
  REQUIRE(size);
  CHECK(size->value == 0x2010);
  // As in libnode.so.108: adrp x0, +0x1ab2 pages; ldr x0, [x0, #2312]; ldr x0, [x0]; ret.
  const auto table = decoded({0x80, 0xd5, 0x00, 0xf0, 0x00, 0x84, 0x44, 0xf9, 0x00, 0x00, 0x40,
                              0xf9, 0xc0, 0x03, 0x5f, 0xd6},
                             0xebafe0);
  REQUIRE(table);
  CHECK(table->value == 0x296d908);
  CHECK(table->loads == 2);
}

TEST_CASE("other code is not interpreted") {
  CHECK_FALSE(decoded({}));
  CHECK_FALSE(decoded({0xb8, 0x00, 0x40}));
  CHECK_FALSE(decoded({0xb8, 0x00, 0x40, 0x8c, 0x01, 0x90}));
  CHECK_FALSE(decoded({0x48, 0x8d, 0x05, 0x10, 0, 0, 0, 0x48, 0x89, 0x00, 0xc3}));
}

}  // namespace stallscope::v8_frames
