#include "benchmark_text/numbers.hpp"

#include <array>
#include <charconv>
#include <cmath>
#include <cstdint>
#include <cstdlib>
#include <limits>
#include <string>

namespace stallscope::benchmark_text {
namespace {

constexpr std::array<double, 23> powers_of_ten = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,
                                                  1e8,  1e9,  1e10, 1e11, 1e12, 1e13, 1e14, 1e15,
                                                  1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};

bool is_digit(char character) { return character >= '0' && character <= '9'; }

char lower(char character) {
  return character >= 'A' && character <= 'Z' ? static_cast<char>(character + ('a' - 'A'))
                                              : character;
}

bool equals_ignoring_case(std::string_view text, std::string_view word) {
  if (text.size() != word.size()) {
    return false;
  }
  for (std::size_t index = 0; index < text.size(); ++index) {
    if (lower(text[index]) != word[index]) {
      return false;
    }
  }
  return true;
}

// Plain digits with at most one point: the quotient of two exact numbers is rounded correctly.
std::optional<double> plain_decimal(std::string_view text) {
  std::uint64_t digits = 0;
  std::size_t decimals = 0;
  bool point = false;
  if (text.size() > 17) {
    return {};
  }
  for (const char character : text) {
    if (is_digit(character)) {
      digits = digits * 10 + static_cast<std::uint64_t>(character - '0');
      decimals += point ? 1 : 0;
    } else if (character == '.' && !point) {
      point = true;
    } else {
      return {};
    }
  }
  const bool has_digit = text.size() > (point ? 1 : 0);
  if (!has_digit || digits > (1ULL << 53)) {
    return {};
  }
  return static_cast<double>(digits) / powers_of_ten[decimals];
}

// Removes underscores, which must stand between digits or after a base prefix.
std::optional<std::string> without_underscores(std::string_view text) {
  std::string plain;
  const std::size_t sign = !text.empty() && (text[0] == '+' || text[0] == '-') ? 1 : 0;
  const bool hexadecimal =
      text.size() >= sign + 2 && text[sign] == '0' && lower(text[sign + 1]) == 'x';
  bool after_digit = false;
  for (std::size_t index = 0; index < text.size(); ++index) {
    const char character = text[index];
    const char folded = lower(character);
    const bool digit = is_digit(character) || (hexadecimal && folded >= 'a' && folded <= 'f') ||
                       (hexadecimal && index == sign + 1);
    if (character == '_') {
      const char following = index + 1 < text.size() ? lower(text[index + 1]) : '\0';
      if (!after_digit ||
          !(is_digit(following) || (hexadecimal && following >= 'a' && following <= 'f'))) {
        return {};
      }
      after_digit = false;
      continue;
    }
    after_digit = digit;
    plain.push_back(character);
  }
  return plain;
}

measurement unusual_number(std::string_view text) {
  const std::optional<std::string> plain = without_underscores(text);
  if (!plain) {
    return {0, number_error::syntax};
  }
  std::string_view digits = *plain;
  const bool negative = !digits.empty() && digits[0] == '-';
  const bool has_sign = negative || (!digits.empty() && digits[0] == '+');
  digits.remove_prefix(has_sign ? 1 : 0);
  if (equals_ignoring_case(digits, "inf") || equals_ignoring_case(digits, "infinity")) {
    const double infinity = std::numeric_limits<double>::infinity();
    return {negative ? -infinity : infinity, number_error::none};
  }
  if (!has_sign && equals_ignoring_case(digits, "nan")) {
    return {std::numeric_limits<double>::quiet_NaN(), number_error::none};
  }
  const bool hexadecimal = digits.size() > 2 && digits[0] == '0' && lower(digits[1]) == 'x';
  if (hexadecimal) {
    digits.remove_prefix(2);
    if (digits.find_first_of("pP") == std::string_view::npos) {
      return {0, number_error::syntax};
    }
  }
  // from_chars also accepts "inf", "nan" and another sign.
  if (digits.empty() || !(is_digit(digits[0]) || digits[0] == '.' ||
                          (hexadecimal && lower(digits[0]) >= 'a' && lower(digits[0]) <= 'f'))) {
    return {0, number_error::syntax};
  }
  double value = 0;
  const char* const end = digits.data() + digits.size();
  const auto [rest, error] = std::from_chars(
      digits.data(), end, value, hexadecimal ? std::chars_format::hex : std::chars_format::general);
  if (error == std::errc::invalid_argument || rest != end) {
    return {0, number_error::syntax};
  }
  if (error == std::errc::result_out_of_range) {
    // Out of range. strtod distinguishes too large from too small, and rounds small numbers.
    value = std::strtod(((hexadecimal ? "0x" : "") + std::string(digits)).c_str(), nullptr);
    if (std::isinf(value)) {
      return {value, number_error::range};
    }
  }
  return {negative ? -value : value, number_error::none};
}

}  // namespace

measurement parse_measurement(std::string_view text) {
  if (const std::optional<double> value = plain_decimal(text)) {
    return {*value, number_error::none};
  }
  return unusual_number(text);
}

number_error check_count(std::string_view text) {
  if (!text.empty() && text[0] == '+') {
    text.remove_prefix(1);
    if (!text.empty() && text[0] == '-') {
      return number_error::syntax;
    }
  }
  std::int64_t count = 0;
  const char* const end = text.data() + text.size();
  const auto [rest, error] = std::from_chars(text.data(), end, count);
  if (error == std::errc::invalid_argument || rest != end) {
    return number_error::syntax;
  }
  return error == std::errc{} ? number_error::none : number_error::range;
}

std::string_view description(number_error error) {
  return error == number_error::range ? "value out of range" : "invalid syntax";
}

}  // namespace stallscope::benchmark_text
