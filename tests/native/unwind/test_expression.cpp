// Tests every operation of DWARF expressions that call frame information uses.
#include <doctest/doctest.h>

#include <array>
#include <vector>

#include "unwind/expression.hpp"

namespace unwind = stallscope::unwind;

namespace {

constexpr std::uint64_t stack_address = 0x1000;

// Evaluates an expression in a frame in which register n is 100 * n and the stack contains
// 0x1122334455667788 and 7.
std::optional<std::uint64_t> value(std::initializer_list<unsigned> expression,
                                   std::optional<std::uint64_t> initial = std::nullopt) {
  std::vector<std::byte> bytes;
  for (const unsigned byte : expression) bytes.push_back(static_cast<std::byte>(byte));
  unwind::registers registers;
  for (unsigned number = 0; number < 17; ++number) registers.set(number, 100 * number);
  const std::array<std::uint64_t, 2> words{0x1122334455667788, 7};
  const unwind::stack_copy copy{.address = stack_address, .bytes = std::as_bytes(std::span(words))};
  const unwind::stack_memory memory(copy);
  std::uint64_t unread = 0;
  unsigned steps_left = 1000;
  return unwind::evaluate(
      bytes, {.values = registers, .stack = memory, .steps_left = steps_left, .load_bias = 0x5000},
      initial, unread);
}

constexpr auto minus_one = UINT64_MAX;

}  // namespace

TEST_CASE("constants of every width are pushed") {
  CHECK(value({0x30}) == 0);
  CHECK(value({0x4f}) == 31);
  CHECK(value({0x08, 0xff}) == 255);
  CHECK(value({0x09, 0xff}) == minus_one);
  CHECK(value({0x0a, 1, 2}) == 0x201);
  CHECK(value({0x0b, 0xfe, 0xff}) == minus_one - 1);
  CHECK(value({0x0c, 1, 2, 3, 4}) == 0x4030201);
  CHECK(value({0x0d, 0xff, 0xff, 0xff, 0xff}) == minus_one);
  CHECK(value({0x0e, 1, 0, 0, 0, 0, 0, 0, 1}) == 0x100000000000001);
  CHECK(value({0x0f, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff}) == minus_one);
  CHECK(value({0x10, 0x80, 1}) == 128);
  CHECK(value({0x11, 0x7f}) == minus_one);
  CHECK(value({0x03, 1, 0, 0, 0, 0, 0, 0, 0}) == 0x5001);
}

TEST_CASE("registers and memory are read") {
  CHECK(value({0x77, 8}) == 708);
  CHECK(value({0x77, 0x78}) == 692);
  CHECK(value({0x92, 16, 1}) == 1601);
  CHECK_FALSE(value({0x92, 20, 1}));
  CHECK(value({0x0a, 0, 0x10, 0x06}) == 0x1122334455667788);
  CHECK(value({0x0a, 1, 0x10, 0x94, 2}) == 0x6677);
  CHECK_FALSE(value({0x0a, 9, 0x10, 0x06}));
  CHECK_FALSE(value({0x0a, 0, 0x10, 0x94, 9}));
}

TEST_CASE("stack operations reorder the stack") {
  CHECK(value({0x31, 0x32, 0x12, 0x22}) == 4);     // dup
  CHECK(value({0x31, 0x32, 0x13}) == 1);           // drop
  CHECK(value({0x31, 0x32, 0x14}) == 1);           // over
  CHECK(value({0x31, 0x32, 0x33, 0x15, 2}) == 1);  // pick
  CHECK(value({0x31, 0x32, 0x16}) == 1);           // swap
  CHECK(value({0x31, 0x32, 0x33, 0x17}) == 2);     // rot: the top goes third
  CHECK(value({0x31, 0x32, 0x33, 0x17, 0x13, 0x13}) == 3);
}

TEST_CASE("arithmetic operations return 64-bit results") {
  CHECK(value({0x09, 0xf6, 0x19}) == 10);                   // abs
  CHECK(value({0x3c, 0x3a, 0x1a}) == 8);                    // and
  CHECK(value({0x09, 0xf6, 0x33, 0x1b}) == minus_one - 2);  // div, signed
  CHECK(value({0x33, 0x35, 0x1c}) == minus_one - 1);        // minus
  CHECK(value({0x3a, 0x34, 0x1d}) == 2);                    // mod
  CHECK(value({0x33, 0x35, 0x1e}) == 15);                   // mul
  CHECK(value({0x31, 0x1f}) == minus_one);                  // neg
  CHECK(value({0x30, 0x20}) == minus_one);                  // not
  CHECK(value({0x31, 0x36, 0x21}) == 7);                    // or
  CHECK(value({0x31, 0x23, 0x80, 1}) == 129);               // plus_uconst
  CHECK(value({0x31, 0x34, 0x24}) == 16);                   // shl
  CHECK(value({0x31, 0x08, 64, 0x24}) == 0);
  CHECK(value({0x09, 0xf0, 0x32, 0x25}) == minus_one / 4 - 3);  // shr
  CHECK(value({0x09, 0xf0, 0x32, 0x26}) == minus_one - 3);      // shra
  CHECK(value({0x33, 0x35, 0x27}) == 6);                        // xor
  CHECK_FALSE(value({0x31, 0x30, 0x1b}));
  CHECK_FALSE(value({0x31, 0x30, 0x1d}));
  // The smallest number divided by -1.
  CHECK(value({0x31, 0x08, 63, 0x24, 0x09, 0xff, 0x1b}) == std::uint64_t{1} << 63U);
}

TEST_CASE("comparisons are signed") {
  CHECK(value({0x09, 0xff, 0x30, 0x2d}) == 1);  // -1 < 0
  CHECK(value({0x30, 0x30, 0x29}) == 1);
  CHECK(value({0x30, 0x31, 0x2a}) == 0);
  CHECK(value({0x31, 0x30, 0x2b}) == 1);
  CHECK(value({0x31, 0x31, 0x2c}) == 1);
  CHECK(value({0x31, 0x30, 0x2e}) == 1);
}

TEST_CASE("jumps go forwards and backwards, and an endless loop ends") {
  CHECK(value({0x31, 0x2f, 1, 0, 0x20, 0x96}) == 1);  // skip over `not`
  CHECK(value({0x35, 0x31, 0x28, 1, 0, 0x20}) == 5);  // bra taken
  CHECK(value({0x35, 0x30, 0x28, 1, 0, 0x20}) == minus_one - 5);
  CHECK_FALSE(value({0x31, 0x2f, 0xfd, 0xff}));  // for ever
  CHECK_FALSE(value({0x31, 0x2f, 0xf0, 0xff}));  // before the beginning
  CHECK_FALSE(value({0x31, 0x2f, 0x7f, 0}));     // behind the end
}

TEST_CASE("an invalid expression has no value") {
  CHECK_FALSE(value({}));
  CHECK_FALSE(value({0x22}));
  CHECK_FALSE(value({0xff}));
  CHECK_FALSE(value({0x0e, 1}));
  CHECK_FALSE(value({0x12, 0x12}));
  CHECK_FALSE(value({0x31, 0x12, 0x2f, 0xfc, 0xff}));  // deeper than the stack may be
}

TEST_CASE("the expression of a register starts with the CFA on the stack") {
  CHECK(value({0x23, 8}, 0x100) == 0x108);
}

TEST_CASE("the usual expression of .plt returns both stack depths") {
  // rsp + 8 + ((rip & 15) >= 11) * 8, with rip at 1600 (16-byte aligned).
  CHECK(value({0x77, 8, 0x80, 0, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}) == 708);
  CHECK(value({0x77, 8, 0x80, 11, 0x3f, 0x1a, 0x3b, 0x2a, 0x33, 0x24, 0x22}) == 716);
}
