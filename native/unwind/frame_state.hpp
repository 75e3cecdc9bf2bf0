// The rules in force at one address while call frame information is compiled.
#pragma once

#include <array>
#include <cstdint>

#include "unwind/registers.hpp"
#include "unwind/rule.hpp"

namespace stallscope::unwind {

class frame_state {
 public:
  struct column {
    std::int32_t value = 0;
    recovery how = recovery::same;
  };

  void set(unsigned number, column to) noexcept {
    column& held = columns_[number];
    hash_ ^= hash_of(number, held) ^ hash_of(number, to);
    count_ = static_cast<std::uint8_t>(count_ + (to.how != recovery::same) -
                                       (held.how != recovery::same));
    held = to;
    const std::uint64_t bit = std::uint64_t{1} << number;
    changed_ = to.how == recovery::same ? changed_ & ~bit : changed_ | bit;
  }
  [[nodiscard]] const column& at(unsigned number) const noexcept { return columns_[number]; }
  // The columns that are not `same`, a bit each.
  [[nodiscard]] std::uint64_t changed() const noexcept { return changed_; }
  [[nodiscard]] std::uint8_t changed_count() const noexcept { return count_; }
  // Of the columns; kept up to date, since most rows change one column or none.
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

  std::int32_t cfa_offset = 0;  // or the expression's place in the pool
  std::uint8_t cfa_register = 0;
  bool has_cfa = false;

 private:
  static std::uint64_t hash_of(unsigned number, const column& each) noexcept {
    if (each.how == recovery::same) return 0;
    std::uint64_t word = static_cast<std::uint32_t>(each.value) | (std::uint64_t{number} << 32U) |
                         (std::uint64_t{static_cast<std::uint8_t>(each.how)} << 40U);
    word = (word ^ (word >> 31U)) * 0x9e3779b97f4a7c15U;
    return word ^ (word >> 29U);
  }

  std::array<column, registers::count> columns_{};
  std::uint64_t changed_ = 0;
  std::uint64_t hash_ = 0;
  std::uint8_t count_ = 0;
};

}  // namespace stallscope::unwind
