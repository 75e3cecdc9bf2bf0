#include "base/visible_text.hpp"

namespace stallscope {
namespace {

bool within(unsigned char byte, unsigned char least, unsigned char most) {
  return byte >= least && byte <= most;
}

// Returns the length of a leading character that must be hidden; 0 if the text starts with another.
std::size_t hidden_bytes(std::string_view text) {
  const auto byte = [text](std::size_t at) {
    return at < text.size() ? static_cast<unsigned char>(text[at]) : static_cast<unsigned char>(0);
  };
  if (byte(0) < ' ' || byte(0) == 0x7F) return 1;
  if (byte(0) == 0xC2 && within(byte(1), 0x80, 0x9F)) return 2;  // C1
  if (byte(0) != 0xE2) return 0;
  // U+200E, U+200F, U+202A to U+202E; U+2066 to U+2069.
  const bool turns =
      (byte(1) == 0x80 && (within(byte(2), 0x8E, 0x8F) || within(byte(2), 0xAA, 0xAE))) ||
      (byte(1) == 0x81 && within(byte(2), 0xA6, 0xA9));
  return turns ? 3 : 0;
}

}  // namespace

std::string visible_text(std::string_view text) {
  std::string visible;
  visible.reserve(text.size());
  while (!text.empty()) {
    const std::size_t hidden = hidden_bytes(text);
    visible += hidden != 0 ? '?' : text.front();
    text.remove_prefix(hidden != 0 ? hidden : 1);
  }
  return visible;
}

}  // namespace stallscope
