// How the caller's frame is found from one address on: where the canonical frame address (CFA) is
// and where each register of the caller lies. Binaries have few different ones, so a table keeps
// each once and its rows name them by number.
#pragma once

#include <cstdint>

namespace stallscope::unwind {

enum class recovery : std::uint8_t {
  same,           // the register still holds the caller's value
  undefined,      // lost; of the return address: there is no caller
  at_offset,      // in memory at CFA + value
  is_offset,      // it is CFA + value
  in_register,    // in the register that value names
  at_expression,  // in memory where the expression at `value` in the pool says
  is_expression,  // the expression's value
};

// One register's recovery. `value` is an offset, a register or a place in the expression pool.
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

  std::int32_t cfa_offset = 0;  // or the expression's place in the pool
  std::uint8_t cfa_register = 0;
  std::uint8_t return_column = 0;
  std::uint8_t is_signal_frame = 0;
  std::uint8_t saved_count = 0;
  std::uint32_t first_saved = 0;
};
static_assert(sizeof(rule) == 12);

}  // namespace stallscope::unwind
