#include <doctest/doctest.h>

#include <array>
#include <bit>
#include <numeric>
#include <vector>

#include "unwind/registers.hpp"

namespace unwind = stallscope::unwind;

TEST_CASE("perf's register order of x86-64 is converted to DWARF's") {
  // AX BX CX DX SI DI BP SP IP R8..R15; the value of a register is 100 plus its bit number.
  const std::uint64_t mask = unwind::perf_mask(unwind::architecture::x86_64);
  CHECK(mask == 0xff01ff);
  std::vector<std::uint64_t> values;
  for (std::uint64_t left = mask; left != 0; left &= left - 1) {
    values.push_back(100U + static_cast<unsigned>(std::countr_zero(left)));
  }
  const auto result = unwind::from_perf(unwind::architecture::x86_64, mask, values);
  CHECK(result.at(0) == 100);  // rax
  CHECK(result.at(1) == 103);  // rdx
  CHECK(result.at(2) == 102);  // rcx
  CHECK(result.at(3) == 101);  // rbx
  CHECK(result.at(unwind::x86_64::rbp) == 106);
  CHECK(result.at(unwind::x86_64::rsp) == 107);
  CHECK(result.at(8) == 116);
  CHECK(result.at(15) == 123);
  CHECK(result.at(unwind::x86_64::rip) == 108);
}

TEST_CASE("perf's register order of arm64 equals DWARF's") {
  const std::uint64_t mask = unwind::perf_mask(unwind::architecture::arm64);
  CHECK(std::popcount(mask) == 33);
  std::vector<std::uint64_t> values(33);
  std::iota(values.begin(), values.end(), 500);
  const auto result = unwind::from_perf(unwind::architecture::arm64, mask, values);
  for (unsigned number = 0; number < 33; ++number) CHECK(result.at(number) == 500 + number);
}

TEST_CASE("registers outside the mask, and bits without a register, stay unknown") {
  const std::array<std::uint64_t, 3> values{1, 2, 3};
  const auto result = unwind::from_perf(unwind::architecture::x86_64, 0x300000180, values);
  CHECK(result.at(unwind::x86_64::rsp) == 1);
  CHECK(result.at(unwind::x86_64::rip) == 2);
  CHECK_FALSE(result.known(unwind::x86_64::rbp));
  CHECK(result.at(unwind::x86_64::rbp) == 0);
}

TEST_CASE("with fewer values than mask bits the rest stays unknown") {
  const std::array<std::uint64_t, 1> values{7};
  const auto result = unwind::from_perf(unwind::architecture::arm64, ~std::uint64_t{0}, values);
  CHECK(result.at(0) == 7);
  CHECK_FALSE(result.known(1));
}
