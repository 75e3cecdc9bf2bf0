#include "process_reading/line_text.hpp"

namespace stallscope::process_reading {
namespace {

constexpr std::string_view hex_digits{"0123456789abcdef"};
constexpr std::uint32_t last_character = 0x10ffff;
constexpr std::uint32_t replacement = 0xfffd;

void put_unit(std::string& out, std::uint32_t unit) {
  out += "\\u";
  for (const unsigned shift : {12U, 8U, 4U, 0U}) out += hex_digits[(unit >> shift) & 15U];
}

void put_character(std::string& out, std::uint32_t character) {
  if (character > last_character) character = replacement;
  if (character == '"' || character == '\\') {
    out += '\\';
    out += static_cast<char>(character);
  } else if (character >= 0x20 && character < 0x7f) {
    out += static_cast<char>(character);
  } else if (character > 0xffff) {
    put_unit(out, 0xd7c0 + (character >> 10U));
    put_unit(out, 0xdc00 + (character & 0x3ffU));
  } else {
    put_unit(out, character);
  }
}

}  // namespace

void put_text(std::string& out, std::u32string_view text) {
  out += '"';
  for (const char32_t character : text) put_character(out, character);
  out += '"';
}

void put_word(std::string& out, std::string_view text) {
  out += '"';
  for (const char character : text) put_character(out, static_cast<unsigned char>(character));
  out += '"';
}

void put_number(std::string& out, std::string_view key, std::uint64_t value) {
  out += '"';
  out += key;
  out += "\":";
  out += std::to_string(value);
}

}  // namespace stallscope::process_reading
