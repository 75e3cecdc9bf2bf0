#include "collect/recording_checks.hpp"

namespace stallscope::collect {
namespace {

// The incomplete last period of a thread must not cause a warning.
constexpr double min_periods_compared = 200;
constexpr double max_missed_share = 0.02;

}  // namespace

std::optional<warning> check_against_counter(const recording_facts& facts) {
  const auto& choice = facts.choice;
  if (!facts.counter || !choice.event.counts_ns || choice.attribute.exclude_kernel != 0 ||
      choice.attribute.exclude_user != 0)
    return std::nullopt;
  const auto period =
      choice.how.period != 0 ? choice.how.period : 1'000'000'000 / choice.how.frequency_hz;
  const auto sampled = static_cast<double>(sampled_periods(facts) + facts.lost_samples * period);
  const auto counted = static_cast<double>(facts.counter->value);
  if (counted < min_periods_compared * static_cast<double>(period) ||
      sampled > (1 - max_missed_share) * counted)
    return std::nullopt;
  return warning{
      "samples-short-of-counter",
      "the samples account for only " + std::to_string(static_cast<int>(100 * sampled / counted)) +
          " % of the counted CPU time: the timer fired late (a busy hypervisor, disabled "
          "interrupts), or threads lived for about one sampling period"};
}

std::optional<warning> check_counter_was_shared(const recording_facts& facts, std::size_t places) {
  if (!facts.counter || facts.choice.attribute.type == PERF_TYPE_SOFTWARE) return std::nullopt;
  const auto enabled = static_cast<double>(facts.counter->enabled_ns);
  const auto running = static_cast<double>(places) * static_cast<double>(facts.counter->running_ns);
  if (enabled == 0 || running >= (1 - max_missed_share) * enabled) return std::nullopt;
  return warning{"counter-shared", "the event was counted for " +
                                       std::to_string(static_cast<int>(100 * running / enabled)) +
                                       " % of the time, because other programs use the CPU's "
                                       "counters: shares refer to that part"};
}

std::optional<warning> check_programs_of_others(const std::set<std::string>& programs) {
  if (programs.empty()) return std::nullopt;
  std::string names;
  for (const auto& name : programs) names += (names.empty() ? "" : ", ") + name;
  return warning{"programs-of-others",
                 "these programs run as another user, so the samples of their process and its "
                 "children end at their start: " +
                     names + "; as root, sample whole CPUs (-a) or a cgroup (-G)"};
}

}  // namespace stallscope::collect
