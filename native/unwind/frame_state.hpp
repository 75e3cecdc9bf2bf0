// The rules at an address while call frame information is compiled. A change takes constant time. A
// state belongs to a single thread.
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
    column& current = columns_[number];
    hash_ ^= hash_of(number, current) ^ hash_of(number, to);
    count_ = static_cast<std::uint8_t>(count_ + (to.how != recovery::same) -
                                       (current.how != recovery::same));
    current = to;
    const std::uint64_t bit = std::uint64_t{1} << number;
    changed_ = to.how == recovery::same ? changed_ & ~bit : changed_ | bit;
  }
  [[nodiscard]] const column& at(unsigned number) const noexcept { return columns_[number]; }
  // A bit for every column that is not `same`.
  [[nodiscard]] std::uint64_t changed() const noexcept { return changed_; }
  [[nodiscard]] std::uint8_t changed_count() const noexcept { return count_; }
  // Hash of the columns, updated incrementally because most rows change at most a single column.
  [[nodiscard]] std::uint64_t hash() const noexcept { return hash_; }

  std::int32_t cfa_offset = 0;  // or the expression's offset in the pool
  std::uint8_t cfa_register = 0;
  bool has_cfa = false;

 private:
  static std::uint64_t hash_of(unsigned number, const column& contents) noexcept {
    if (contents.how == recovery::same) return 0;
    std::uint64_t word = static_cast<std::uint32_t>(contents.value) |
                         (std::uint64_t{number} << 32U) |
                         (std::uint64_t{static_cast<std::uint8_t>(contents.how)} << 40U);
    word = (word ^ (word >> 31U)) * 0x9e3779b97f4a7c15U;
    return word ^ (word >> 29U);
  }

  std::array<column, registers::count> columns_{};
  std::uint64_t changed_ = 0;
  std::uint64_t hash_ = 0;
  std::uint8_t count_ = 0;
};

}  // namespace stallscope::unwind
