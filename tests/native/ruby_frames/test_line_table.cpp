#include <doctest/doctest.h>

#include <array>
#include <cstring>

#include "ruby_frames/line_table.hpp"

namespace stallscope::ruby_frames {
namespace {

constexpr std::size_t entry_bytes = 12;

std::vector<std::byte> entries(std::span<const std::uint32_t> lines) {
  std::vector<std::byte> bytes(lines.size() * entry_bytes);
  for (std::size_t i = 0; i < lines.size(); ++i)
    std::memcpy(bytes.data() + i * entry_bytes, &lines[i], sizeof lines[i]);
  return bytes;
}

// The index that iseq.c makes of the words at which entries start.
std::vector<std::byte> index_of(std::uint32_t words, std::span<const std::uint32_t> starts) {
  std::vector<std::byte> bytes(line_index_bytes(words));
  const auto rank = [&](std::uint64_t word) {
    std::uint64_t count = 0;
    for (const auto start : starts) count += start <= word ? 1 : 0;
    return count;
  };
  for (std::uint64_t word = 0; word < 54; ++word) {
    std::uint64_t ranks = 0;
    std::memcpy(&ranks, bytes.data() + word / 9 * 8, 8);
    ranks |= rank(word) << (word % 9 * 7);
    std::memcpy(bytes.data() + word / 9 * 8, &ranks, 8);
  }
  for (std::size_t block = 0; 48 + (block + 1) * 80 <= bytes.size(); ++block) {
    const auto first = 54 + block * 512;
    const auto before = static_cast<std::uint32_t>(rank(first - 1));
    std::memcpy(bytes.data() + 48 + block * 80, &before, 4);
    std::uint64_t ranks = 0;
    for (std::size_t small = 1; small < 8; ++small)
      ranks |= (rank(first + small * 64 - 1) - before) << ((small - 1) * 9);
    std::memcpy(bytes.data() + 56 + block * 80, &ranks, 8);
    for (const auto start : starts) {
      if (start < first || start >= first + 512) continue;
      const auto bit = start - first;
      std::uint64_t bits = 0;
      std::memcpy(&bits, bytes.data() + 64 + block * 80 + bit / 64 * 8, 8);
      bits |= std::uint64_t{1} << (bit % 64);
      std::memcpy(bytes.data() + 64 + block * 80 + bit / 64 * 8, &bits, 8);
    }
  }
  return bytes;
}

TEST_CASE("each word has the line of the last entry that starts at or before it") {
  constexpr std::array<std::uint32_t, 7> starts{0, 5, 53, 54, 130, 600, 1200};
  constexpr std::array<std::uint32_t, 7> lines{1, 2, 4, 3, 9, 10, 12};
  constexpr std::uint32_t words = 1300;
  const line_table table{entries(lines), entry_bytes, index_of(words, starts)};
  std::size_t last = 0;
  for (std::uint32_t word = 0; word < words; ++word) {
    while (last + 1 < starts.size() && starts[last + 1] <= word) ++last;
    CHECK(table.line_at(word) == lines[last]);
  }
}

TEST_CASE("a table without an index has one line, a damaged one none") {
  constexpr std::array<std::uint32_t, 2> lines{7, 8};
  CHECK(line_table{entries(std::span{lines}.first(1)), entry_bytes, {}}.line_at(500) == 7);
  CHECK(line_table{entries(lines), entry_bytes, {}}.line_at(500) == 0);
  CHECK(line_table{}.line_at(0) == 0);
}

}  // namespace
}  // namespace stallscope::ruby_frames
