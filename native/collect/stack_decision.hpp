// Decides how stacks are recorded from what the probe and the binaries showed. Decides for copies
// where in doubt: they cost disk, broken chains cost the answer. Computes only.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collect/stack_choice.hpp"

namespace stallscope::collect {

// What is known of one process before it is recorded.
struct process_evidence {
  pid_t pid = 0;
  std::string name;
  std::size_t samples = 0;
  std::size_t whole = 0;             // of them, those whose frame pointers reach the entry
  std::optional<double> code_share;  // of its code, as far as that could be read; for idle ones
};

// Whether these samples are enough to decide by, without a look at the code.
bool samples_decide(std::size_t samples, std::size_t whole);

// Each process by its own evidence: of several, some may be copied and others not.
stack_choice decide_each(std::span<const process_evidence> processes);

// One way for all, whose samples were seen: copies where the chains of any break off.
stack_choice decide_for_all(std::span<const process_evidence> processes);

// For a command that has not begun, by the code of its executable and libraries.
stack_choice decide_for_command(const std::string& name, std::optional<double> code_share);

}  // namespace stallscope::collect
