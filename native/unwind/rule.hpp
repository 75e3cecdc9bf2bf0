// The rule of a row: where the canonical frame address (CFA) and the caller's registers are. A
// binary has few different rules, so a table stores every rule once and rows refer to it by number.
// Plain values: any thread may read them, a lookup costs an array access.
#pragma once

#include <cstdint>

namespace stallscope::unwind {

enum class recovery : std::uint8_t {
  same,           // the register still holds the caller's value
  undefined,      // lost; for the return address: no caller
  at_offset,      // in memory at CFA + value
  is_offset,      // equal to CFA + value
  in_register,    // in register number `value`
  at_expression,  // in memory at the result of the expression at `value` in the pool
  is_expression,  // equal to the result of the expression
};

// How a register is recovered. `value` is an offset, a register number or an offset in the
// expression pool.
struct saved_register {
  std::int32_t value = 0;
  std::uint8_t number = 0;
  recovery how = recovery::same;
  std::uint16_t unused = 0;

  bool operator==(const saved_register&) const = default;
};
static_assert(sizeof(saved_register) == 8);

struct rule {
  static constexpr std::uint8_t by_expression = 255;  // as cfa_register

  std::int32_t cfa_offset = 0;  // or the expression's offset in the pool
  std::uint8_t cfa_register = 0;
  std::uint8_t return_column = 0;
  std::uint8_t is_signal_frame = 0;
  std::uint8_t saved_count = 0;
  std::uint32_t first_saved = 0;
};
static_assert(sizeof(rule) == 12);

}  // namespace stallscope::unwind
