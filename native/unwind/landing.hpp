// Follows stacks of threads that handle a C++ exception or a Rust panic. Before libgcc jumps to the
// landing pad, it overwrites the registers that its own function saved for its caller with the
// registers of the frame to land in. In this state the frames in between may be lost: a frame whose
// CFA depends on an overwritten register cannot be unwound. Costs a scan of libgcc's frame, only in
// these functions. Belongs to the walking thread.
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
  registers values;            // of the frame to land in; the counter is the landing pad
  std::uint64_t replaced = 0;  // bit set of the caller's registers that were overwritten
  std::size_t depth = 0;       // number of frames up to the function that jumps
};

// Whether a rule belongs to a function that ends with __builtin_eh_return. x86-64 only.
bool may_land(architecture arch, const rule& how, std::span<const saved_register> saved) noexcept;

// Steps to the caller of such a function, without the overwritten registers; at its last
// instructions, steps to the landing pad. If registers were overwritten, the walk may call `land`
// later.
std::optional<chain_end> step_by_landing(cursor& at, const applied_rule& frame_rule);

// Continues in the frame of the landing pad. Returns false if the walk passed no landing.
bool land(cursor& at);

}  // namespace stallscope::unwind
