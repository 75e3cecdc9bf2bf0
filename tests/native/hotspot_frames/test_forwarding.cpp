#include "hotspot_frames/forwarding.hpp"

#include <doctest/doctest.h>

#include <vector>

namespace stallscope::hotspot_frames {
namespace {

std::optional<std::uint16_t> call_of(const std::vector<std::uint8_t>& bytecodes) {
  return forwarding_call(std::as_bytes(std::span{bytecodes}));
}

}  // namespace

TEST_CASE("a method that loads, calls and returns forwards") {
  CHECK(call_of({0xb8, 5, 0, 0xb1}) == 5);  // invokestatic, return
  CHECK(call_of({0x2a, 0xb4, 1, 0, 0x2b, 0xb8, 7, 1, 0xac}) ==
        263);  // with a field and an argument
}

TEST_CASE("a method that does more does not forward") {
  CHECK_FALSE(call_of({0xb8, 5, 0, 0xb8, 6, 0, 0xb1}));  // two calls
  CHECK_FALSE(call_of({0xb8, 5, 0, 0x60, 0xac}));        // an addition
  CHECK_FALSE(call_of({0xb1}));                          // no call
  CHECK_FALSE(call_of({0xb8, 5}));                       // cut
  CHECK_FALSE(call_of({}));
}

}  // namespace stallscope::hotspot_frames
