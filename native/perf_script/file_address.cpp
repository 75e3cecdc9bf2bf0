#include "perf_script/file_address.hpp"

#include <charconv>

namespace stallscope::perf_script {
namespace {

// Returns whether the text has brackets around at least one character.
bool has_brackets(std::string_view text) {
  for (std::size_t open = text.find('['); open != std::string_view::npos;
       open = text.find('[', open + 1)) {
    const std::size_t close = text.find(']', open + 1);
    if (close == std::string_view::npos) return false;
    if (close > open + 1) return true;
  }
  return false;
}

bool is_jit_map(std::string_view file) {
  constexpr std::string_view prefix = "perf-";
  for (std::size_t begin = file.find(prefix); begin != std::string_view::npos;
       begin = file.find(prefix, begin + 1)) {
    const std::size_t digits = begin + prefix.size();
    const std::size_t end = file.find_first_not_of("0123456789", digits);
    if (end != std::string_view::npos && end > digits && file.substr(end + 1).starts_with("map")) {
      return true;
    }
  }
  return false;
}

}  // namespace

std::optional<std::uint64_t> hexadecimal(std::string_view digits) {
  std::uint64_t value = 0;
  const char* const end = digits.data() + digits.size();
  const auto result = std::from_chars(digits.data(), end, value, 16);
  if (result.ec != std::errc{} || result.ptr != end) return std::nullopt;
  return value;
}

std::optional<std::uint64_t> address_in_file(const frame_line& frame) {
  if (!frame.file.starts_with('/') || frame.file.find("kernel.") != std::string_view::npos ||
      has_brackets(frame.file) || is_jit_map(frame.file)) {
    return std::nullopt;
  }
  return hexadecimal(frame.address);
}

}  // namespace stallscope::perf_script
