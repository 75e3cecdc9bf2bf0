// The contents of a table: sorted rows (a start and a rule number) and the pools of rules. Row i
// ends where row i + 1 begins; rule 0 means that no rule is known. A lookup is a binary search over
// the rows. Immutable once compiled, so any thread may read it.
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
  std::uint64_t first_address = 0;  // row starts are relative to it
  std::uint64_t entry = 0;          // entry point, 0 if there is none
  std::vector<segment> segments;
  std::vector<std::uint32_t> starts;
  std::vector<std::uint32_t> rule_numbers;
  std::vector<rule> rules{rule{}};
  std::vector<saved_register> saved;
  std::vector<std::byte> expressions;  // preceded by their length in two bytes
  std::uint64_t bad_entries = 0;
  double frame_pointer_share = 0;

  // Returns nullptr if the address is not covered.
  [[nodiscard]] const rule* find(std::uint64_t address) const noexcept {
    const std::uint64_t offset = address - first_address;
    if (address < first_address || offset > UINT32_MAX) return nullptr;
    const auto next =
        std::upper_bound(starts.begin(), starts.end(), static_cast<std::uint32_t>(offset));
    if (next == starts.begin()) return nullptr;
    const auto row = static_cast<std::size_t>(next - starts.begin()) - 1;
    return rule_numbers[row] == 0 ? nullptr : &rules[rule_numbers[row]];
  }

  // Whether the address is in the entry code of a program, which has no caller.
  [[nodiscard]] bool is_entry(std::uint64_t address) const noexcept {
    constexpr std::uint64_t entry_bytes = 64;
    return entry != 0 && address - entry < entry_bytes;
  }

  [[nodiscard]] std::span<const saved_register> saved_by(const rule& row_rule) const noexcept {
    return std::span(saved).subspan(row_rule.first_saved, row_rule.saved_count);
  }

  // Returns the expression at an offset of the pool, empty if the offset is invalid.
  [[nodiscard]] std::span<const std::byte> expression(std::int32_t place) const noexcept;
};

// Access to the contents of a table, for this folder only.
struct table_reader {
  using content = table::content;
  static const content& of(const table& source) noexcept { return *source.content_; }
  static table make(std::unique_ptr<content> contents) { return table(std::move(contents)); }
};

}  // namespace stallscope::unwind
