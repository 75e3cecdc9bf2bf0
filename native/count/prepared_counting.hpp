// A counting whose plan, targets and groups are checked, and for which nothing is written or opened
// yet. The command, if there is one, waits before its exec. Costs a trial of each group. One
// thread.
//
//   auto prepared = prepare_counting(options, child_mask);
//   opened_counting opened{prepared};
#pragma once

#include <csignal>
#include <cstddef>
#include <memory>
#include <string>
#include <vector>

#include "base/procfs.hpp"
#include "collect/command.hpp"
#include "collect/target.hpp"
#include "count/count_document.hpp"

namespace stallscope::count {

struct prepared_counting {
  procfs proc;
  count_facts facts;      // the document, which the later stages complete
  std::string plan_text;  // as the file has it
  std::vector<int> cpus;
  collect::open_cgroup cgroup;
  std::size_t descriptor_limit = 0;
  std::unique_ptr<collect::held_command> command;  // null: the target is not a command
};

// Throws failure if the plan has a fault, a target does not exist or no event is available.
// `child_mask` is the signal mask of the command.
prepared_counting prepare_counting(const count_options& options, const sigset_t& child_mask);

}  // namespace stallscope::count
