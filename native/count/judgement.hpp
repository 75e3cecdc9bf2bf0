// What the totals of a counting say of its groups and events: which groups never had the counters
// and why, and which zeros nothing vouches for. Pure.
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
  std::vector<std::size_t> never_ran;        // groups that were to be counted and never were
  std::vector<std::string> unverified_zero;  // events that counted nothing and may not exist
  std::vector<warning> warnings;
};

// Of each group's total, in the order of the choice's groups.
counting_judgement judge_counting(const count_plan& plan, const counting_choice& choice,
                                  std::span<const perf_events::group_reading> totals);

}  // namespace stallscope::count
