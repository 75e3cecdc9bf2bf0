#include "count/judgement.hpp"

#include <algorithm>

#include "count/event_refusal.hpp"

namespace stallscope::count {
namespace {

// The kernel rotates groups at every tick, which takes at most 10 ms (HZ 100).
constexpr std::uint64_t turn_ns = 10'000'000;

warning idle_groups(const counting_choice& choice,
                    std::span<const perf_events::group_reading> totals,
                    std::span<const std::size_t> never_ran) {
  std::uint64_t longest = 0;
  for (const auto group : never_ran) longest = std::max(longest, totals[group].enabled_ns);
  const bool too_short = longest < totals.size() * turn_ns;
  return {"groups-never-ran",
          std::to_string(never_ran.size()) + " of " + std::to_string(totals.size()) +
              " groups were never counted: " +
              (too_short ? "the target ran for too short a time to run every group"
                         : counter_holder(choice.facts))};
}

}  // namespace

counting_judgement judge_counting(const count_plan& plan, const counting_choice& choice,
                                  std::span<const perf_events::group_reading> totals) {
  counting_judgement judgement;
  std::vector<bool> counted(plan.events.size());  // by a group that ran
  std::vector<bool> nonzero(plan.events.size());
  for (std::size_t group = 0; group < totals.size(); ++group) {
    const auto& total = totals[group];
    if (total.running_ns == 0) {
      if (total.enabled_ns != 0) judgement.never_ran.push_back(group);
      continue;
    }
    for (std::size_t i = 0; i < total.values.size(); ++i) {
      const auto event = choice.groups[group].events[i];
      counted[event] = true;
      if (total.values[i] != 0) nonzero[event] = true;
    }
  }
  for (std::size_t event = 0; event < plan.events.size(); ++event) {
    const auto& name = plan.events[event].name;
    const auto& unknown = choice.unknown_presence;
    if (counted[event] && !nonzero[event] &&
        std::find(unknown.begin(), unknown.end(), name) != unknown.end())
      judgement.unverified_zero.push_back(name);
  }
  if (!judgement.never_ran.empty())
    judgement.warnings.push_back(idle_groups(choice, totals, judgement.never_ran));
  return judgement;
}

}  // namespace stallscope::count
