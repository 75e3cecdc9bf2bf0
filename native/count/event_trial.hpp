// Tries events before the target is touched: which can be opened, which groups the kernel takes,
// and whether a group really gets counters. The kernel is the judge of all three. Each trial is a
// few system calls; a group that never runs costs 40 ms of CPU time, all others some microseconds.
// What is tried is closed again. One thread.
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
  std::vector<std::size_t> events;  // numbers of the plan's events
};

struct counting_choice {
  perf_events::counting how;
  std::vector<perf_events::event_spec> events;  // the plan's, those that are unavailable among them
  std::vector<planned_group> groups;
  std::vector<std::vector<std::size_t>> groups_of_set;
  std::vector<std::string> split_sets;
  std::vector<event_refusal> unavailable;
  std::vector<std::string> untold;  // hardware of which nothing tells whether it is there
  pmu_facts facts;
  std::vector<warning> warnings;
};

struct trial_place {
  perf_events::event_place place;  // this thread, or a CPU
  perf_events::counting how;
  bool user_only = false;  // asked for; else only where the kernel allows no more
};

// What of a plan can be counted, and how. Throws failure (unable) where nothing can.
counting_choice choose_groups(const count_plan& plan, const trial_place& where);

}  // namespace stallscope::count
