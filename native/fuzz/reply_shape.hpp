// Counts and removes whole replies of either version of the protocol.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string_view>

#include "require.hpp"
#include "resp/integer.hpp"

// Removes one reply from the front. Returns false if it is not whole; aborts if it is malformed.
inline bool remove_reply(std::string_view& bytes) {
  const std::size_t end = bytes.find("\r\n");
  if (end == std::string_view::npos) return false;
  require(end > 0);
  const char kind = bytes[0];
  const std::string_view line = bytes.substr(1, end - 1);
  bytes.remove_prefix(end + 2);
  if (kind == '+' || kind == '-') return true;
  if (kind == '_') {
    require(line.empty());
    return true;
  }
  const auto number = stallscope::resp::to_integer(line);
  require(number.has_value());
  if (kind == ':') return true;
  if (kind == '$' || kind == '=') {
    if (*number < 0) {
      require(kind == '$' && *number == -1);
      return true;
    }
    const auto length = static_cast<std::size_t>(*number);
    if (bytes.size() < length + 2) return false;
    require(bytes.substr(length, 2) == "\r\n");
    bytes.remove_prefix(length + 2);
    return true;
  }
  require(kind == '*' || kind == '%' || kind == '~');
  if (*number < 0) {
    require(kind == '*' && *number == -1);
    return true;
  }
  for (std::int64_t left = kind == '%' ? 2 * *number : *number; left > 0; --left) {
    if (!remove_reply(bytes)) return false;
  }
  return true;
}

// The number of whole replies.
inline std::size_t replies_in(std::string_view bytes) {
  std::size_t count = 0;
  while (!bytes.empty() && remove_reply(bytes)) ++count;
  return count;
}
