#include "histogram/encoding.hpp"

#include <doctest/doctest.h>

#include <string_view>

using stallscope::histogram::histogram;

namespace {

std::string hex(std::string_view bytes) {
  static constexpr std::string_view digits = "0123456789abcdef";
  std::string text;
  for (const char byte : bytes) {
    text += digits[static_cast<std::uint8_t>(byte) >> 4U];
    text += digits[static_cast<std::uint8_t>(byte) & 15U];
  }
  return text;
}

}  // namespace

TEST_CASE("the plain encoding matches another implementation") {
  // Output of PyPI's hdrhistogram 0.10.8 for these values, except for single zeros: it writes them
  // as runs of one, the original HdrHistogram as 0.
  histogram values;
  for (const auto& [value, times] : {std::pair<std::uint64_t, std::uint64_t>{1, 1},
                                     {2, 3},
                                     {4, 1},
                                     {1000, 7},
                                     {2047, 1},
                                     {2048, 2},
                                     {2050, 1},
                                     {123'456, 300},
                                     {1'000'000, 1},
                                     {histogram::hour_ns, 1}}) {
    values.record(value, times);
  }
  CHECK(hex(stallscope::histogram::encode_plain(values)) ==
        "1c8493130000001800000000000000030000000000000001000003"
        "4630b8a0003ff0000000000000"
        "0002060002c50f0eab100204028d5ed804ad3002d3db0202");
}

TEST_CASE("the largest counts take nine bytes") {
  histogram values(1'000);
  values.record(0, std::uint64_t{1} << 62U);
  CHECK(hex(stallscope::histogram::encode_plain(values)).substr(80) == "808080808080808080");
}

TEST_CASE("the base64 form has the compressed cookie and padding") {
  histogram values(1'000);
  for (std::uint64_t value = 0; value < 8; ++value) {
    values.record(value * value * 13);
    const std::string text = stallscope::histogram::encode_base64(values);
    CHECK(text.starts_with("HISTFAAA"));  // 0x1c849314 and a length below 2^16
    CHECK(text.size() % 4 == 0);
    CHECK(text.find_first_not_of(
              "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=") ==
          std::string::npos);
  }
}
