// Evaluates DWARF expressions (DWARF 5, 2.5) with a frame's registers and the copied stack. Steps
// and stack depth are limited; allocates and throws nothing. Linear in the number of operations.
// Any thread may call it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "unwind/registers.hpp"
#include "unwind/stack_memory.hpp"

namespace stallscope::unwind {

struct expression_frame {
  const registers& values;
  const stack_memory& stack;
  unsigned& steps_left;  // shared by the whole walk, to limit malicious tables
  // Load bias of the file, added to the addresses in an expression.
  std::uint64_t load_bias = 0;
};

// Pushes `initial` first, if present. If memory outside the copied stack is needed, `unread`
// receives its address.
std::optional<std::uint64_t> evaluate(std::span<const std::byte> expression,
                                      const expression_frame& frame,
                                      std::optional<std::uint64_t> initial, std::uint64_t& unread);

}  // namespace stallscope::unwind
