// Selects how user stacks are recorded: as the user requests, or from a probe of the target's code
// and of samples of it. Costs up to 0.5 s on an idle machine. One thread.
//
//   facts.stacks = select_stacks(prepared);
#pragma once

#include "collect/prepared_recording.hpp"
#include "collect/stack_choice.hpp"

namespace stallscope::collect {

// Throws failure if copies were requested and the kernel refuses them.
stack_choice select_stacks(const prepared_recording& prepared);

}  // namespace stallscope::collect
