// Evaluates DWARF expressions (DWARF 5, 2.5) over a frame's registers and the copied stack. Bounded
// in steps and depth; allocates and throws nothing.
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
  unsigned& steps_left;  // of the whole walk, which hostile tables could make long
  // Added to the addresses that an expression names: where the file is loaded.
  std::uint64_t load_bias = 0;
};

// `initial` is pushed first, where there is one. Sets `unread` to the address of memory that was
// needed and not copied.
std::optional<std::uint64_t> evaluate(std::span<const std::byte> expression,
                                      const expression_frame& frame,
                                      std::optional<std::uint64_t> initial, std::uint64_t& unread);

}  // namespace stallscope::unwind
