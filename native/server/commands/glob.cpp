#include "server/commands/glob.hpp"

#include <cstddef>
#include <optional>

#include "server/commands/text.hpp"

namespace stallscope::server {

namespace {

struct element_match {
  bool matches;
  std::size_t pattern_bytes;
};

element_match match_class(std::string_view pattern, char byte) {
  std::size_t at = 1;
  const bool negated = at < pattern.size() && pattern[at] == '^';
  if (negated) ++at;
  bool matched = false;
  while (at < pattern.size() && pattern[at] != ']') {
    if (pattern[at] == '\\' && at + 1 < pattern.size()) ++at;
    const char from = lower_case(pattern[at]);
    char to = from;
    if (at + 2 < pattern.size() && pattern[at + 1] == '-') {
      at += 2;
      to = lower_case(pattern[at]);
    }
    matched = matched || (from <= to ? from <= byte && byte <= to : to <= byte && byte <= from);
    ++at;
  }
  return {matched != negated, at < pattern.size() ? at + 1 : at};
}

// Matches the first element of the pattern, which is not a star, against a byte.
element_match match_element(std::string_view pattern, char byte) {
  switch (pattern[0]) {
    case '?':
      return {true, 1};
    case '[':
      return match_class(pattern, byte);
    case '\\':
      if (pattern.size() > 1) return {lower_case(pattern[1]) == byte, 2};
      [[fallthrough]];
    default:
      return {lower_case(pattern[0]) == byte, 1};
  }
}

}  // namespace

bool glob_match(std::string_view pattern, std::string_view name) {
  std::size_t at = 0;
  std::size_t of_name = 0;
  // Where to continue if the pattern after the last star does not match.
  std::optional<std::size_t> after_star;
  std::size_t star_name = 0;
  while (of_name < name.size()) {
    if (at < pattern.size() && pattern[at] == '*') {
      after_star = ++at;
      star_name = of_name;
      continue;
    }
    if (at < pattern.size()) {
      const element_match matched = match_element(pattern.substr(at), lower_case(name[of_name]));
      if (matched.matches) {
        at += matched.pattern_bytes;
        ++of_name;
        continue;
      }
    }
    if (!after_star) return false;
    at = *after_star;
    of_name = ++star_name;
  }
  while (at < pattern.size() && pattern[at] == '*') ++at;
  return at == pattern.size();
}

}  // namespace stallscope::server
