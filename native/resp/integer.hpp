// Decimal integers of the Redis protocol: no plus sign, no leading zeros, no spaces, 64 bits at
// most. No allocation.
#pragma once

#include <charconv>
#include <cstdint>
#include <optional>
#include <string_view>

namespace stallscope::resp {

inline std::optional<std::int64_t> to_integer(std::string_view text) {
  const std::size_t sign = !text.empty() && text[0] == '-' ? 1 : 0;
  if (text.size() == sign) return std::nullopt;
  if (text[sign] == '0' && text.size() > 1) return std::nullopt;  // 01, -0
  std::int64_t value = 0;
  const auto [end, failure] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (failure != std::errc{} || end != text.data() + text.size()) return std::nullopt;
  return value;
}

}  // namespace stallscope::resp
