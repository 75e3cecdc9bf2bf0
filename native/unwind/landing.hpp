// Where a thread that handles a C++ exception, or a Rust panic, is about to go on. libgcc first
// writes the registers of the frame to land in over those that its own function saved for its
// caller, then leaves for the landing pad; in between the frames that were thrown through cannot
// all be followed any more: those that find their CFA by a register have lost it.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "unwind/registers.hpp"
#include "unwind/rule.hpp"
#include "unwind/unwinder.hpp"

namespace stallscope::unwind {

struct cursor;
struct applied_rule;

struct landing {
  registers values;            // of the frame to land in, with the landing pad as its counter
  std::uint64_t replaced = 0;  // registers, a bit each, that the function's caller has lost
  std::size_t depth = 0;       // frames of the chain up to the function that leaves
};

// Whether a rule is of a function that ends by __builtin_eh_return. On x86-64 only.
bool may_land(architecture arch, const rule& how, std::span<const saved_register> saved) noexcept;

// To such a function's caller, without the registers that were replaced, or, from its last
// instructions, to the landing pad. Where registers were replaced the walk may `land` later.
std::optional<chain_end> step_by_landing(cursor& at, const applied_rule& found);

// Goes on in the frame to land in. False where the walk passed nothing that lands.
bool land(cursor& at);

}  // namespace stallscope::unwind
