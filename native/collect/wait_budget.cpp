#include "collect/wait_budget.hpp"

#include <algorithm>
#include <utility>

namespace stallscope::collect {
namespace {

// Measured with a futex ping-pong on Linux 6.18, 2026-11: docs/decisions/0045-sources-of-waits.md.
constexpr std::uint64_t ns_of_switch_sample = 2'600;  // registers, a stack of 4 KiB, both switches
constexpr std::uint64_t ns_of_kernel_chain = 2'600;
constexpr std::uint64_t ns_of_wake_up = 1'500;
constexpr std::uint64_t ns_of_switch_records = 1'300;
// A switch inside a window: record, sample with a stack, wake-up, and writing them to the file.
constexpr double ns_in_window = 4'500;
// A switch between windows, while the events of windows are open and disabled. The tracepoint of
// wake-ups collects its fields even if no event is enabled.
constexpr double ns_between_windows = 150;
constexpr double ns_of_disabled_wake_up = 120;
// The interrupt, the copy of the stack and the caches that both displace.
constexpr double ns_of_cpu_sample = 30'000;
// The events of a window are enabled and disabled, or opened and closed, by an interrupt of each
// CPU and, for tracepoints, by patches of the kernel's code.
constexpr double ns_of_enabling = 90'000;
constexpr double ns_of_opening = 460'000;

constexpr double min_interval_ns = 50e6;
constexpr std::uint64_t min_burst_interval_ns = 5'000'000;
constexpr double least_run_share = 0.2;
// Parts of the limit. Windows take half of what the others leave of the part that is aimed at; the
// other half is for the recorder's passes. The rest of the limit is for the error of these figures.
constexpr double aimed_share = 0.6;
constexpr double share_of_cpu_samples = 0.08;
constexpr double share_of_ticks = 0.1;
constexpr double share_of_disabled_wake_ups = 0.08;
constexpr double share_of_disabled_events = 0.2;
constexpr double share_of_toggling = 0.1;
constexpr double share_of_windows = 0.5;
constexpr double part_of_recorder = 0.4;  // of the cost of windows
constexpr double least_windows = 0.04;    // of the limit
constexpr double least_period_ns = 40e6;
constexpr double most_period_ns = 1e9;
constexpr double least_window_share = 0.002;
constexpr double most_window_share = 0.05;

struct rates {
  double switches_per_s = 0;
  double run_share = 0;
};

double difference(std::uint64_t from, std::uint64_t to) {
  return static_cast<double>(to - std::min(from, to));
}

// The kernel reports lost records when there is space again, possibly in a later interval.
rates rates_between(const wait_reading& from, const wait_reading& to, bool with_lost) {
  const double elapsed_ns = difference(from.at_ns, to.at_ns);
  const double kept = difference(from.kept, to.kept);
  const double lost = with_lost && kept > 0 ? difference(from.lost, to.lost) / kept : 0;
  return {difference(from.switches, to.switches) * (1 + lost) * 1e9 / elapsed_ns,
          difference(from.run_ns, to.run_ns) / elapsed_ns};
}

}  // namespace

std::uint64_t cost_of_switch(const wait_plan& plan) {
  std::uint64_t cost = plan.of_threads.empty() ? ns_of_switch_records : ns_of_switch_sample;
  for (const auto& event : plan.of_threads)
    cost += event.attribute.exclude_callchain_kernel != 0 ? 0 : ns_of_kernel_chain;
  for (const auto& event : plan.of_cpus) {
    if (event.role != wait_role::wake_ups) continue;
    cost += ns_of_wake_up;
    break;
  }
  return cost;
}

std::optional<wait_excess> wait_budget::excess_at(double switches_per_s, double run_share) const {
  const double run = std::max(run_share, least_run_share);
  const auto share_of = [&](double ns) { return switches_per_s * ns / 1e9 / run; };
  const double share = share_of(ns_per_switch_);
  if (share <= max_share_) return std::nullopt;
  const double wake_ups = share_of(ns_of_disabled_wake_up);
  const bool with_wake_ups = wake_ups <= share_of_disabled_wake_ups * max_share_;
  const double toggling = share_of_toggling * max_share_ * run;  // of a CPU
  const double opening_period_ns = std::min(cpus_ * ns_of_opening / toggling, most_period_ns);
  const double disabled = share_of(ns_between_windows);
  const bool closed_between = disabled > share_of_disabled_events * max_share_ &&
                              cpus_ * ns_of_opening / opening_period_ns / run < disabled;
  const double period_ns = closed_between ? opening_period_ns : cpus_ * ns_of_enabling / toggling;
  const double between = closed_between ? 0 : disabled + (with_wake_ups ? wake_ups : 0);
  const double left =
      max_share_ * (aimed_share - share_of_cpu_samples - share_of_ticks - share_of_toggling) -
      between;
  const double windows = std::max(share_of_windows * left, least_windows * max_share_);
  const double passes = std::max(left - windows, least_windows * max_share_);
  return wait_excess{.switches_per_s = switches_per_s,
                     .cost_share = share,
                     .window_share = std::clamp(windows / share_of(ns_in_window),
                                                least_window_share, most_window_share),
                     .run_share = run,
                     .mean_period_ns = static_cast<std::uint64_t>(
                         std::clamp(period_ns, least_period_ns, most_period_ns)),
                     .with_wake_ups = with_wake_ups && !closed_between,
                     .closed_between = closed_between,
                     .tick_share = share_of_ticks * max_share_ * run,
                     .own_share = toggling + (passes + part_of_recorder * windows) * run};
}

double longest_window_ns(const wait_excess& excess, std::size_t ring_bytes,
                         std::size_t stack_bytes) {
  constexpr double bytes_beside_stack = 400;
  const double bytes = static_cast<double>(stack_bytes) + bytes_beside_stack;
  const double switches_per_ns = excess.switches_per_s / std::min(1.0, excess.run_share) / 1e9;
  return static_cast<double>(ring_bytes) / 2 / bytes / switches_per_ns;
}

double burst_ns(const wait_excess& excess) {
  return allowed_burst_ns / (excess.cost_share * excess.run_share);
}

std::uint64_t most_samples_per_s(double max_share) {
  return static_cast<std::uint64_t>(
      std::max(1.0, share_of_cpu_samples * max_share / ns_of_cpu_sample * 1e9));
}

std::optional<wait_excess> wait_budget::observe(const wait_reading& reading) {
  if (!last_) last_ = previous_ = reading;
  if (reading.at_ns - previous_->at_ns < min_burst_interval_ns) return std::nullopt;
  const auto recent = rates_between(*std::exchange(previous_, reading), reading, false);
  const auto interval = rates_between(*last_, reading, true);
  const double elapsed_ns = difference(last_->at_ns, reading.at_ns);
  const double cost = interval.switches_per_s * ns_per_switch_ / 1e9;
  const double allowed = max_share_ * std::max(interval.run_share, least_run_share);
  const double debt_ns = std::max(0.0, debt_ns_ + (cost - allowed) * elapsed_ns);
  if (debt_ns > allowed_burst_ns) {
    const auto mean = excess_at(interval.switches_per_s, interval.run_share);
    const auto faster = excess_at(recent.switches_per_s, recent.run_share);
    return faster && (!mean || faster->switches_per_s > mean->switches_per_s) ? faster : mean;
  }
  if (elapsed_ns < min_interval_ns) return std::nullopt;
  last_ = reading;
  debt_ns_ = debt_ns;
  return std::nullopt;
}

}  // namespace stallscope::collect
