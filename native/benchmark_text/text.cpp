#include "benchmark_text/text.hpp"

#include <locale.h>
#include <wctype.h>

#include <cstddef>
#include <cstdint>

namespace stallscope::benchmark_text {
namespace {

struct character {
  std::uint32_t code;
  std::size_t bytes;
};

constexpr std::uint32_t invalid_code = 0xFFFD;

bool is_ascii(char byte) { return static_cast<unsigned char>(byte) < 0x80; }

std::uint32_t byte_at(std::string_view text, std::size_t index) {
  return static_cast<unsigned char>(text[index]);
}

// The first character; a byte that starts no valid sequence is U+FFFD of one byte.
character first_character(std::string_view text) {
  const std::uint32_t lead = byte_at(text, 0);
  if (lead < 0x80) {
    return {lead, 1};
  }
  const std::size_t size = lead >= 0xF0 ? 4 : lead >= 0xE0 ? 3 : 2;
  if (lead < 0xC2 || lead > 0xF4 || text.size() < size) {
    return {invalid_code, 1};
  }
  std::uint32_t code = lead & (0xFFU >> (size + 1));
  for (std::size_t index = 1; index < size; ++index) {
    if ((byte_at(text, index) & 0xC0) != 0x80) {
      return {invalid_code, 1};
    }
    code = (code << 6) | (byte_at(text, index) & 0x3F);
  }
  const bool overlong = (size == 3 && code < 0x800) || (size == 4 && code < 0x10000);
  if (overlong || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF) {
    return {invalid_code, 1};
  }
  return {code, size};
}

bool is_space(std::uint32_t code) {
  return (code >= 9 && code <= 13) || code == ' ' || code == 0x85 || code == 0xA0 ||
         code == 0x1680 || (code >= 0x2000 && code <= 0x200A) || code == 0x2028 || code == 0x2029 ||
         code == 0x202F || code == 0x205F || code == 0x3000;
}

locale_t unicode_locale() {
  static const locale_t locale = ::newlocale(LC_CTYPE_MASK, "C.UTF-8", nullptr);
  return locale;
}

bool is_upper(std::uint32_t code) {
  if (code < 0x80) {
    return code >= 'A' && code <= 'Z';
  }
  return unicode_locale() != nullptr && ::iswupper_l(code, unicode_locale()) != 0;
}

bool is_lower(std::uint32_t code) {
  if (code < 0x80) {
    return code >= 'a' && code <= 'z';
  }
  return unicode_locale() != nullptr && ::iswlower_l(code, unicode_locale()) != 0;
}

std::size_t space_bytes(std::string_view text) {
  if (is_ascii(text[0])) {
    return is_space(byte_at(text, 0)) ? 1 : 0;
  }
  const character first = first_character(text);
  return is_space(first.code) ? first.bytes : 0;
}

}  // namespace

std::string_view take_field(std::string_view& text) {
  std::size_t end = 0;
  std::size_t space = 0;
  while (end < text.size()) {
    const auto byte = static_cast<unsigned char>(text[end]);
    if (byte > ' ' && byte < 0x80) {
      ++end;
      continue;
    }
    space = space_bytes(text.substr(end));
    if (space > 0) {
      break;
    }
    end += first_character(text.substr(end)).bytes;
  }
  const std::string_view field = text.substr(0, end);
  text.remove_prefix(end + space);
  while (!text.empty() && (space = space_bytes(text)) > 0) {
    text.remove_prefix(space);
  }
  return field;
}

configuration_line parse_configuration(std::string_view line) {
  std::size_t colon = 0;
  while (true) {
    if (colon == line.size()) {
      return {};
    }
    const character next = first_character(line.substr(colon));
    if (colon == 0 ? !is_lower(next.code) : is_space(next.code) || is_upper(next.code)) {
      return {};
    }
    if (next.code == ':') {
      break;
    }
    colon += next.bytes;
  }
  const std::string_view key = line.substr(0, colon);
  std::string_view value = line.substr(colon + 1);
  if (value.empty()) {
    return {key, value};
  }
  const std::size_t start = value.find_first_not_of(" \t");
  if (start == 0) {
    return {};
  }
  value.remove_prefix(start == std::string_view::npos ? value.size() : start);
  return {key, value};
}

}  // namespace stallscope::benchmark_text
