// Case-insensitive options in requests. No allocation.
#pragma once

#include <algorithm>
#include <string_view>

namespace stallscope::server {

constexpr char lower_case(char byte) {
  return byte >= 'A' && byte <= 'Z' ? static_cast<char>(byte + ('a' - 'A')) : byte;
}

// `option` is in lower case.
constexpr bool is_option(std::string_view word, std::string_view option) {
  return word.size() == option.size() &&
         std::equal(word.begin(), word.end(), option.begin(),
                    [](char left, char right) { return lower_case(left) == right; });
}

// The text up to the first zero byte, at most `max_bytes` bytes.
constexpr std::string_view c_text(std::string_view word, std::size_t max_bytes) {
  return word.substr(0, std::min(word.find('\0'), max_bytes));
}

}  // namespace stallscope::server
