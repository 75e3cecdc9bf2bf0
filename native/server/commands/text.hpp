// Words of requests as options: letter case does not matter. No allocation.
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
                    [](char one, char other) { return lower_case(one) == other; });
}

// As C has it: up to the first zero byte, and at most so many bytes.
constexpr std::string_view c_text(std::string_view word, std::size_t most) {
  return word.substr(0, std::min(word.find('\0'), most));
}

}  // namespace stallscope::server
