#include "dwarf/address_table.hpp"

#include <algorithm>
#include <iterator>
#include <tuple>

#include "dwarf/malformed.hpp"

namespace stallscope::dwarf {

address_table::address_table(section& aranges) {
  std::span<const std::byte> all;
  try {
    all = aranges.from(0);
    byte_reader reader(all);
    while (!reader.at_end()) {
      std::uint8_t offset_size = 4;
      const std::uint64_t length = read_initial_length(reader, offset_size);
      const std::size_t start = reader.offset();
      reader.skip(length);
      if (reader.failed()) break;
      byte_reader set(all.first(reader.offset()), start);
      read_set(set, offset_size);
    }
  } catch (const malformed&) {
    // The sets before it stay valid.
  }
  std::sort(rows_.begin(), rows_.end(), [](const row& left, const row& right) {
    return std::tie(left.range.begin, left.unit_offset) <
           std::tie(right.range.begin, right.unit_offset);
  });
  std::sort(units_.begin(), units_.end());
}

void address_table::read_set(byte_reader& set, std::uint8_t offset_size) {
  const std::size_t start = set.offset() - (offset_size == 8 ? 12 : 4);
  const auto version = set.number<std::uint16_t>();
  const std::uint64_t unit_offset = read_number(set, offset_size);
  const auto address_size = set.number<std::uint8_t>();
  const auto segment_size = set.number<std::uint8_t>();
  if (version != 2 || segment_size != 0 || (address_size != 4 && address_size != 8)) return;
  // Pairs are aligned to their size, from the start of the set.
  const std::size_t pair = std::size_t{2} * address_size;
  set.skip((pair - (set.offset() - start) % pair) % pair);
  bool any = false;
  while (set.left() >= pair) {
    const std::uint64_t begin = read_number(set, address_size);
    const std::uint64_t length = read_number(set, address_size);
    if (begin == 0 && length == 0) break;
    if (length == 0 || begin + length < begin) continue;
    rows_.push_back({{begin, begin + length}, unit_offset});
    any = true;
  }
  if (any) units_.push_back(unit_offset);
}

std::optional<std::uint64_t> address_table::unit_at(std::uint64_t address) const {
  const auto after = std::upper_bound(
      rows_.begin(), rows_.end(), address,
      [](std::uint64_t target, const row& candidate) { return target < candidate.range.begin; });
  if (after == rows_.begin()) return std::nullopt;
  // Units with the same template instance have the same range. The linker keeps the code of the
  // first unit, and the others may have other functions inlined.
  auto first = std::lower_bound(
      rows_.begin(), after, std::prev(after)->range.begin,
      [](const row& candidate, std::uint64_t begin) { return candidate.range.begin < begin; });
  first = std::find_if(first, after,
                       [&](const row& candidate) { return address < candidate.range.end; });
  if (first == after) return std::nullopt;
  return first->unit_offset;
}

bool address_table::lists(std::uint64_t unit_offset) const {
  return std::binary_search(units_.begin(), units_.end(), unit_offset);
}

}  // namespace stallscope::dwarf
