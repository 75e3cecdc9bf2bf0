#include "collect/flight_lines.hpp"

#include <span>
#include <string_view>

namespace stallscope::collect {
namespace {

std::string_view text_of(std::span<const std::byte> bytes) {
  return {reinterpret_cast<const char*>(bytes.data()), bytes.size()};
}

}  // namespace

void flight_lines::drop_before(std::uint64_t ns) {
  while (blocks_.oldest_ended_before(ns)) definitions_.take(text_of(blocks_.drop_oldest().bytes));
  if (definitions_.exceeded()) definitions_.compact(kept_text());
}

std::string flight_lines::kept_text() const {
  std::string text;
  for (const auto& block : blocks_.all()) text += text_of(block.bytes);
  return text;
}

}  // namespace stallscope::collect
