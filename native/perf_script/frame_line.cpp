#include "perf_script/frame_line.hpp"

#include <algorithm>

namespace stallscope::perf_script {
namespace {

constexpr std::string_view unknown = "[unknown]";

bool is_word(char character) {
  return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'z') ||
         (character >= 'A' && character <= 'Z') || character == '_';
}

bool is_hexadecimal(char character) {
  return (character >= '0' && character <= '9') || (character >= 'a' && character <= 'f');
}

// Returns the place of "+0x" if only hexadecimal digits follow it, otherwise the end.
std::size_t find_offset(std::string_view symbol) {
  std::size_t begin = symbol.size();
  while (begin > 0 && is_hexadecimal(symbol[begin - 1])) --begin;
  const bool has_offset =
      begin < symbol.size() && begin >= 3 && symbol.substr(begin - 3, 3) == "+0x";
  return has_offset ? begin - 3 : symbol.size();
}

// Go writes methods as "net/http.(*Client).Do".
bool is_go_method(std::string_view name) {
  const std::size_t open = name.find(".(");
  return open != std::string_view::npos && name.find(").", open + 2) != std::string_view::npos;
}

std::string_view without_arguments(std::string_view name) {
  constexpr std::string_view anonymous = "(anonymous namespace)";
  for (std::size_t open = name.find('('); open != std::string_view::npos;
       open = name.find('(', open + 1)) {
    if (name.substr(open, anonymous.size()) != anonymous) return name.substr(0, open);
  }
  return name;
}

std::string name_of_unknown(const frame_line& frame, const name_style& style) {
  std::string_view name = frame.file;
  if (name == unknown) {
    name = "unknown";
  } else if (const std::size_t slash = name.rfind('/'); slash != std::string_view::npos) {
    name.remove_prefix(slash + 1);
  }
  std::string text;
  text += '[';
  text += name;
  if (style.addresses) {
    text += " <";
    text += frame.address;
    text += '>';
  }
  text += ']';
  return text;
}

bool is_kernel(std::string_view file) {
  return (file.starts_with('[') || file.ends_with("vmlinux")) &&
         file.find("unknown") == std::string_view::npos;
}

bool is_jit(std::string_view file) {
  constexpr std::string_view prefix = "/tmp/perf-";
  const std::size_t begin = file.find(prefix);
  if (begin == std::string_view::npos) return false;
  std::size_t end = begin + prefix.size();
  const std::size_t digits = end;
  while (end < file.size() && file[end] >= '0' && file[end] <= '9') ++end;
  return end > digits && file.substr(end).starts_with(".map");
}

}  // namespace

std::optional<frame_line> parse_frame_line(std::string_view line) {
  const std::size_t address = line.find_first_not_of(" \t");
  if (address == std::string_view::npos) return std::nullopt;
  std::size_t address_end = address;
  while (address_end < line.size() && is_word(line[address_end])) ++address_end;
  const std::size_t symbol = line.find_first_not_of(" \t", address_end);
  if (address_end == address || symbol == std::string_view::npos) return std::nullopt;
  const std::size_t close = line.rfind(')');
  if (close == std::string_view::npos || close < symbol + 3) return std::nullopt;
  const std::size_t open = line.rfind(" (", close - 2);
  if (open == std::string_view::npos || open <= symbol) return std::nullopt;
  const std::string_view text = line.substr(symbol, open - symbol);
  const std::size_t end = find_offset(text);
  return frame_line{line.substr(address, address_end - address), text.substr(0, end),
                    line.substr(open + 2, close - open - 2),
                    end == text.size() ? std::string_view{} : text.substr(end + 3)};
}

std::string function_name(const frame_line& frame, std::string_view function, bool inlined,
                          bool in_java, const name_style& style) {
  std::string name;
  if (function == unknown) {
    name = style.shorten ? name_of_unknown(frame, style) : std::string(unknown);
  } else {
    name = function;
  }
  if (!style.shorten) return name;
  std::ranges::replace(name, ';', ':');
  if (!is_go_method(name)) name.resize(without_arguments(name).size());
  std::erase_if(name, [](char character) { return character == '"' || character == '\''; });
  if (in_java && name.starts_with('L') && name.find('/') != std::string::npos) name.erase(0, 1);
  if (inlined) {
    if (name.find("_[i]") == std::string::npos) name += "_[i]";
  } else if (style.kernel && is_kernel(frame.file)) {
    name += "_[k]";
  } else if (style.jit && is_jit(frame.file) && name.find("_[j]") == std::string::npos) {
    name += "_[j]";
  }
  return name;
}

}  // namespace stallscope::perf_script
