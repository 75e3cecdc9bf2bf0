// Stacks of this very process, walked by us and by the compiler's own runtime.
#pragma once

#include <cstddef>
#include <vector>

#include "unwind/unwinder.hpp"

struct both_walks {
  std::vector<stallscope::unwind::frame> ours;
  std::vector<stallscope::unwind::frame> theirs;
  stallscope::unwind::chain_end end = stallscope::unwind::chain_end::no_registers;
};

both_walks walk_here(std::size_t most_bytes = 1U << 20U);

// From within a signal's handler, which runs on an alternate stack or on the thread's.
both_walks walk_in_handler(bool on_own_stack);

// Frames from the leaf on that both have; the leaf itself, where each stands elsewhere in the
// function that walks, counts.
std::size_t equal_frames(const both_walks& walks);
