// Decides when recording every switch costs too much. The cost is computed from the number of
// switches and a measured cost per switch, because the target pays it inside the kernel, where no
// counter shows it. Pure computation. Any thread.
//
//   wait_budget budget{max_cost, cost_of_switch(plan)};
//   if (auto excess = budget.observe({now, switches, run_ns})) enter_windows(*excess);
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>

#include "collect/wait_events.hpp"

namespace stallscope::collect {

// Nanoseconds that recording adds to each switch of the target.
std::uint64_t cost_of_switch(const wait_plan& plan);

// CPU time that recording may cost beyond the limit, once. Time below the limit pays back.
constexpr double allowed_burst_ns = 20e6;

// Counts since the start of the recording.
struct wait_reading {
  std::uint64_t at_ns = 0;
  std::uint64_t switches = 0;  // of those that were kept
  std::uint64_t run_ns = 0;    // CPU time of the target
  std::uint64_t kept = 0;      // records of all kinds
  std::uint64_t lost = 0;      // assumed to contain the same share of switches
};

// How a recording above the limit stays within it. All its parts together aim at 60 % of the limit.
struct wait_excess {
  double switches_per_s = 0;
  double cost_share = 0;             // of recording every switch, in the target's CPU time
  double window_share = 0;           // of the time that windows may take
  double run_share = 0;              // CPUs that the target uses, at least a fifth
  std::uint64_t mean_period_ns = 0;  // from the begin of a window to that of the next one
  bool with_wake_ups = true;         // between windows, events of wake-ups cost time as well
  // The events of windows are closed between windows: at high rates, opening them for each window
  // costs less than disabled events at each switch.
  bool closed_between = false;
  double tick_share = 0;  // of a CPU that readings of /proc may take
  double own_share = 0;   // of a CPU that the recorder itself may use, without readings
};

// The longest window whose records fit into half of the ring of a CPU, if each switch has a copy of
// `stack_bytes`. While the target runs it may switch faster than on average.
double longest_window_ns(const wait_excess& excess, std::size_t ring_bytes,
                         std::size_t stack_bytes);

// How long recording every switch costs no more than the allowed burst.
double burst_ns(const wait_excess& excess);

// The rate of CPU samples beside windows that takes 8 % of the limit of a CPU in use.
std::uint64_t most_samples_per_s(double max_share);

class wait_budget {
 public:
  // `cpus`: on which windows record.
  wait_budget(double max_share, std::uint64_t ns_per_switch, std::size_t cpus)
      : max_share_{max_share},
        ns_per_switch_{static_cast<double>(ns_per_switch)},
        cpus_{static_cast<double>(cpus)} {}

  // Returns the excess when recording has cost 20 ms of CPU time more than the limit allows, so
  // that a short burst, such as the start of a program, does not decide about the whole recording.
  // The rate is that of the last 5 ms or more, if it exceeds the mean.
  // Time below the limit pays back in intervals of at least 50 ms. Intervals shorter than 5 ms are
  // ignored.
  std::optional<wait_excess> observe(const wait_reading& reading);
  // Returns the excess at this rate; nullopt within the limit. A target that runs less than a fifth
  // of a CPU counts as a fifth, so that an idle one may cost up to that share of it.
  [[nodiscard]] std::optional<wait_excess> excess_at(double switches_per_s, double run_share) const;

 private:
  double max_share_;
  double ns_per_switch_;
  double cpus_;
  std::optional<wait_reading> last_;      // at which the debt was last updated
  std::optional<wait_reading> previous_;  // at least 5 ms ago
  double debt_ns_ = 0;                    // cost above the limit
};

}  // namespace stallscope::collect
