// Decides how stacks are recorded, from the results of the probe and the code of the binaries. In
// doubt it decides for copies: they cost disk space, while broken chains make the profile useless.
// Pure computation. Any thread.
#pragma once

#include <sys/types.h>

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "collect/stack_choice.hpp"

namespace stallscope::collect {

// The evidence about a process before it is recorded.
struct process_evidence {
  pid_t pid = 0;
  std::string name;
  std::size_t samples = 0;
  std::size_t whole = 0;             // samples whose frame pointers reach the entry
  std::optional<double> code_share;  // share of readable code with frame pointers, if it was idle
  std::string runtime{};             // the managed runtime whose frames are read from copied stacks
};

// Returns whether these samples are enough for a decision without reading the code.
bool samples_decide(std::size_t samples, std::size_t whole);

// Decides for each process by its own evidence: some may be copied and others not.
stack_choice decide_per_process(std::span<const process_evidence> processes);

// Decides once for all processes: copies if the chains of any process break off.
stack_choice decide_for_all(std::span<const process_evidence> processes);

// Decides for a command before its start, by the code of its executable and libraries.
stack_choice decide_for_command(const std::string& name, std::optional<double> code_share);

}  // namespace stallscope::collect
