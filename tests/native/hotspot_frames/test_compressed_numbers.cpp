#include "hotspot_frames/compressed_numbers.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace stallscope::hotspot_frames {
namespace {

std::vector<std::byte> bytes_of(std::initializer_list<unsigned> values) {
  std::vector<std::byte> bytes;
  for (const unsigned value : values) bytes.push_back(static_cast<std::byte>(value));
  return bytes;
}

}  // namespace

TEST_CASE("numbers up to 191 take a byte, larger ones several") {
  const auto bytes = bytes_of({0, 191, 192, 0, 255, 255, 255, 255, 255});
  compressed_numbers numbers{bytes, false};
  CHECK(numbers.next() == 0U);
  CHECK(numbers.next() == 191U);
  CHECK(numbers.next() == 192U);
  // Five bytes, the last of which has all its bits.
  CHECK(numbers.next() == 255U + (255U << 6U) + (255U << 12U) + (255U << 18U) + (255U << 24U));
  CHECK_FALSE(numbers.next());
}

TEST_CASE("without zero bytes every byte is one larger, and a zero ends the numbers") {
  const auto bytes = bytes_of({1, 192, 193, 1, 0, 5});
  compressed_numbers numbers{bytes, true};
  CHECK(numbers.next() == 0U);
  CHECK(numbers.next() == 191U);
  CHECK(numbers.next() == 192U);
  CHECK_FALSE(numbers.next());
}

TEST_CASE("signed numbers alternate in sign") {
  const auto bytes = bytes_of({0, 1, 2, 3});
  compressed_numbers numbers{bytes, false};
  CHECK(numbers.next_signed() == 0);
  CHECK(numbers.next_signed() == -1);
  CHECK(numbers.next_signed() == 1);
  CHECK(numbers.next_signed() == -2);
}

TEST_CASE("a number that is cut off is none") {
  const auto bytes = bytes_of({200});
  compressed_numbers numbers{bytes, false};
  CHECK_FALSE(numbers.next());
}

}  // namespace stallscope::hotspot_frames
