#include "collect/wait_budget.hpp"

#include <algorithm>

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
constexpr double ns_between_windows = 50;
constexpr double ns_of_disabled_wake_up = 120;
constexpr double ns_of_cpu_sample = 15'000;

constexpr std::uint64_t min_interval_ns = 50'000'000;
constexpr double least_run_share = 0.2;
// At this multiple of the limit one interval decides.
constexpr double far_above = 4;
// Parts of the limit. Windows take half of what the others and closed windows leave; the rest is
// for opening windows and for the error of these figures.
constexpr double share_of_cpu_samples = 0.08;
constexpr double share_of_ticks = 0.2;
constexpr double share_of_disabled_wake_ups = 0.2;
constexpr double share_of_windows = 0.5;
constexpr double least_window_share = 0.002;
constexpr double most_window_share = 0.05;

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
  const double left = max_share_ * (1 - share_of_cpu_samples - share_of_ticks) -
                      share_of(ns_between_windows) - (with_wake_ups ? wake_ups : 0);
  return wait_excess{switches_per_s, share,
                     std::clamp(share_of_windows * left / share_of(ns_in_window),
                                least_window_share, most_window_share),
                     with_wake_ups, share_of_ticks * max_share_ * run};
}

std::uint64_t most_samples_per_s(double max_share) {
  return static_cast<std::uint64_t>(
      std::max(1.0, share_of_cpu_samples * max_share / ns_of_cpu_sample * 1e9));
}

std::optional<wait_excess> wait_budget::observe(const wait_reading& reading) {
  if (!last_) last_ = reading;
  const auto elapsed_ns = reading.at_ns - last_->at_ns;
  if (elapsed_ns < min_interval_ns) return std::nullopt;
  const double elapsed_s = static_cast<double>(elapsed_ns) / 1e9;
  const auto excess =
      excess_at(static_cast<double>(reading.switches - last_->switches) / elapsed_s,
                static_cast<double>(reading.run_ns - last_->run_ns) / 1e9 / elapsed_s);
  last_ = reading;
  const bool decided = excess && (was_above_ || excess->cost_share > far_above * max_share_);
  was_above_ = excess.has_value();
  return decided ? excess : std::nullopt;
}

}  // namespace stallscope::collect
