// Trials before the target is opened: which events the kernel opens, which groups it accepts, and
// whether a group gets hardware counters. A trial costs a few system calls and some microseconds; a
// group that never runs costs 40 ms of CPU time. All trial events are closed again. One thread.
//
//   const counting_choice choice = choose_groups(plan, {{0, -1}, how, user_only});
//   for (const auto& group : choice.groups) open(group);
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "count/event_refusal.hpp"
#include "count/packing.hpp"
#include "count/plan.hpp"
#include "perf_events/event_group.hpp"

namespace stallscope::count {

struct planned_group {
  std::vector<std::size_t> events;  // indexes into the plan's events
};

struct counting_choice {
  perf_events::counting how;
  std::vector<perf_events::event_spec> events;  // all events of the plan, also unavailable ones
  std::vector<planned_group> groups;
  std::vector<std::vector<std::size_t>> groups_of_set;
  std::vector<std::string> split_sets;
  std::vector<event_refusal> unavailable;
  std::vector<std::string> unknown_presence;  // hardware events that may not exist on this CPU
  pmu_facts facts;
  std::vector<warning> warnings;
};

struct trial_place {
  perf_events::event_place place;  // this thread, or a CPU
  perf_events::counting how;
  bool user_only = false;  // requested; if false, still user code only if the kernel requires it
};

// Returns the groups of a plan's available events. Throws failure if no event is available.
counting_choice choose_groups(const count_plan& plan, const trial_place& place);

}  // namespace stallscope::count
