// A recording whose targets and events are checked, and for which nothing is written or attached
// yet. The command, if there is one, waits before its exec. Costs a trial open of each event. One
// thread.
//
//   auto prepared = prepare_recording(options, child_mask);
//   opened_recording opened{prepared, watch};
#pragma once

#include <csignal>
#include <cstddef>
#include <memory>
#include <vector>

#include "base/procfs.hpp"
#include "collect/command.hpp"
#include "collect/recording_document.hpp"
#include "collect/target.hpp"
#include "collect/target_reader.hpp"

namespace stallscope::collect {

struct prepared_recording {
  procfs proc;
  recording_facts facts;  // the document, which the later stages complete
  std::vector<int> cpus;
  open_cgroup cgroup;
  std::size_t descriptor_limit = 0;
  std::unique_ptr<target_reader> targets;  // reads files of processes, without blocking
  std::unique_ptr<held_command> command;   // null: the target is not a command
};

// Throws failure if a target does not exist or no event can be opened. `child_mask` is the signal
// mask of the command.
prepared_recording prepare_recording(const collect_options& options, const sigset_t& child_mask);

}  // namespace stallscope::collect
