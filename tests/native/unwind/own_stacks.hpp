// Walks stacks of this process with the unwinder and with the compiler's runtime. Costs a copy of
// the stack per walk; any thread may call it.
#pragma once

#include <cstddef>
#include <vector>

#include "unwind/unwinder.hpp"

struct both_walks {
  std::vector<stallscope::unwind::frame> ours;
  std::vector<stallscope::unwind::frame> theirs;
  stallscope::unwind::chain_end end = stallscope::unwind::chain_end::no_registers;
};

both_walks walk_here(std::size_t max_bytes = 1U << 20U);

// Walks from a signal handler, on an alternate stack or on the thread's stack.
both_walks walk_in_handler(bool on_own_stack);

// Returns the number of equal frames, counted from the leaf. The leaf counts as equal, although its
// address differs within the walking function.
std::size_t equal_frames(const both_walks& walks);
