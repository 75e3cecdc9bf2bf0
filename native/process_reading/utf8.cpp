#include "process_reading/utf8.hpp"

#include <array>
#include <bit>
#include <cstddef>

namespace stallscope::process_reading {
namespace {

constexpr char32_t replacement_character = 0xfffd;
constexpr char32_t last_code_point = 0x10ffff;
constexpr std::array<char32_t, 5> least_of_length{0, 0, 0x80, 0x800, 0x10000};

}  // namespace

std::u32string text_of_utf8(std::string_view bytes) {
  std::u32string result;
  while (!bytes.empty()) {
    const auto lead = static_cast<unsigned char>(bytes.front());
    const auto ones = static_cast<std::size_t>(std::countl_one(lead));
    const std::size_t length = ones == 0 ? 1 : ones;
    char32_t unit = lead & (0xffU >> (ones + 1U));
    bool valid = ones != 1 && length < least_of_length.size() && length <= bytes.size();
    for (std::size_t i = 1; valid && i < length; ++i) {
      const auto byte = static_cast<unsigned char>(bytes[i]);
      valid = (byte & 0xc0U) == 0x80U;
      unit = unit << 6U | (byte & 0x3fU);
    }
    const bool surrogate = unit >= 0xd800 && unit < 0xe000;
    valid = valid && !surrogate && unit <= last_code_point && unit >= least_of_length.at(length);
    result.push_back(valid ? unit : replacement_character);
    bytes.remove_prefix(valid ? length : 1);
  }
  return result;
}

}  // namespace stallscope::process_reading
