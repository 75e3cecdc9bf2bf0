// What a table holds: sorted rows, each a start and the number of its rule, and the pools that
// rules stand in. Row i ends where row i + 1 begins; rule 0 says that nothing is known.
#pragma once

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <span>
#include <vector>

#include "unwind/elf_image.hpp"
#include "unwind/rule.hpp"
#include "unwind/table.hpp"

namespace stallscope::unwind {

struct table::content {
  architecture arch = architecture::x86_64;
  std::uint64_t first_address = 0;  // row starts count from here
  std::uint64_t entry = 0;          // where the loader starts the file, 0 where it does not
  std::vector<segment> segments;
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> rule_numbers;
  std::vector<rule> rules{rule{}};
  std::vector<saved_register> saved;
  std::vector<std::byte> expressions;  // each behind its length in two bytes
  std::uint64_t bad_entries = 0;
  double frame_pointer_share = 0;

  // nullptr where the address is not covered.
  [[nodiscard]] const rule* find(std::uint64_t address) const noexcept {
    const std::uint64_t offset = address - first_address;
    if (address < first_address || offset > UINT32_MAX) return nullptr;
    const auto next =
        std::upper_bound(starts.begin(), starts.end(), static_cast<std::uint32_t>(offset));
    if (next == starts.begin()) return nullptr;
    const auto row = static_cast<std::size_t>(next - starts.begin()) - 1;
    return rule_numbers[row] == 0 ? nullptr : &rules[rule_numbers[row]];
  }

  // Whether this is the code that nobody called: the first instructions of a program.
  [[nodiscard]] bool is_entry(std::uint64_t address) const noexcept {
    constexpr std::uint64_t entry_bytes = 64;
    return entry != 0 && address - entry < entry_bytes;
  }

  [[nodiscard]] std::span<const saved_register> saved_by(const rule& each) const noexcept {
    return std::span(saved).subspan(each.first_saved, each.saved_count);
  }

  // The expression at a place of the pool; empty where there is none.
  [[nodiscard]] std::span<const std::byte> expression(std::int32_t place) const noexcept;
};

// Opens a table to the parts of this folder.
struct table_reader {
  using content = table::content;
  static const content& of(const table& each) noexcept { return *each.content_; }
  static table make(std::unique_ptr<content> made) { return table(std::move(made)); }
};

}  // namespace stallscope::unwind
