#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "unwind/registers.hpp"

namespace unwind = stallscope::unwind;

TEST_CASE("perf's order of x86-64 becomes DWARF's") {
  // AX BX CX DX SI DI BP SP IP R8..R15, each with its bit's number as value.
  const std::uint64_t mask = unwind::perf_mask(unwind::architecture::x86_64);
  CHECK(mask == 0xff01ff);
  std::vector<std::uint64_t> values;
  for (std::uint64_t left = mask; left != 0; left &= left - 1) {
    values.push_back(100U + static_cast<unsigned>(std::countr_zero(left)));
  }
  const auto found = unwind::from_perf(unwind::architecture::x86_64, mask, values);
  CHECK(found.at(0) == 100);  // rax
  CHECK(found.at(1) == 103);  // rdx
  CHECK(found.at(2) == 102);  // rcx
  CHECK(found.at(3) == 101);  // rbx
  CHECK(found.at(unwind::x86_64::rbp) == 106);
  CHECK(found.at(unwind::x86_64::rsp) == 107);
  CHECK(found.at(8) == 116);
  CHECK(found.at(15) == 123);
  CHECK(found.at(unwind::x86_64::rip) == 108);
}

TEST_CASE("perf's order of arm64 is DWARF's") {
  const std::uint64_t mask = unwind::perf_mask(unwind::architecture::arm64);
  CHECK(std::popcount(mask) == 33);
  std::vector<std::uint64_t> values(33);
  std::iota(values.begin(), values.end(), 500);
  const auto found = unwind::from_perf(unwind::architecture::arm64, mask, values);
  for (unsigned number = 0; number < 33; ++number) CHECK(found.at(number) == 500 + number);
}

TEST_CASE("registers that were not asked for, or are none, stay unknown") {
  const std::array<std::uint64_t, 3> values{1, 2, 3};
  const auto found = unwind::from_perf(unwind::architecture::x86_64, 0x300000180, values);
  CHECK(found.at(unwind::x86_64::rsp) == 1);
  CHECK(found.at(unwind::x86_64::rip) == 2);
  CHECK_FALSE(found.known(unwind::x86_64::rbp));
  CHECK(found.at(unwind::x86_64::rbp) == 0);
}

TEST_CASE("fewer values than the mask says leave the rest unknown") {
  const std::array<std::uint64_t, 1> values{7};
  const auto found = unwind::from_perf(unwind::architecture::arm64, ~std::uint64_t{0}, values);
  CHECK(found.at(0) == 7);
  CHECK_FALSE(found.known(1));
}
