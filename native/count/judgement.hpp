// Checks of a counting's totals: groups that never had hardware counters, with the reason, and zero
// counts of events that may not exist. Pure computation. Any thread.
#pragma once

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "base/failure.hpp"
#include "count/event_trial.hpp"
#include "count/plan.hpp"
#include "perf_events/event_group.hpp"

namespace stallscope::count {

struct counting_judgement {
  std::vector<std::size_t> never_ran;        // enabled groups that never ran
  std::vector<std::string> unverified_zero;  // zero counts of events that may not exist
  std::vector<warning> warnings;
};

// `totals` has one entry per group, in the order of the choice's groups.
counting_judgement judge_counting(const count_plan& plan, const counting_choice& choice,
                                  std::span<const perf_events::group_reading> totals);

}  // namespace stallscope::count
