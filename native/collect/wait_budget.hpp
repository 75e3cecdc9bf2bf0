// Decides when recording every switch costs too much. The cost is computed from the number of
// switches and a measured cost per switch, because the target pays it inside the kernel, where no
// counter shows it. Pure computation. Any thread.
//
//   wait_budget budget{max_cost, cost_of_switch(plan)};
//   if (auto excess = budget.observe({now, switches, run_ns})) enter_windows(*excess);
#pragma once

#include <cstdint>
#include <optional>

#include "collect/wait_events.hpp"

namespace stallscope::collect {

// Nanoseconds that recording adds to each switch of the target.
std::uint64_t cost_of_switch(const wait_plan& plan);

// Counts since the start of the recording.
struct wait_reading {
  std::uint64_t at_ns = 0;
  std::uint64_t switches = 0;
  std::uint64_t run_ns = 0;  // CPU time of the target
};

// How a recording above the limit stays within it.
struct wait_excess {
  double switches_per_s = 0;
  double cost_share = 0;      // of recording every switch, in the target's CPU time
  double window_share = 0;    // of the time that windows may take
  bool with_wake_ups = true;  // between windows, events of wake-ups cost time as well
  double tick_share = 0;      // of a CPU that readings of /proc may take
};

// The rate of CPU samples beside windows that takes 8 % of the limit of a CPU in use.
std::uint64_t most_samples_per_s(double max_share);

class wait_budget {
 public:
  wait_budget(double max_share, std::uint64_t ns_per_switch)
      : max_share_{max_share}, ns_per_switch_{static_cast<double>(ns_per_switch)} {}

  // Returns the excess if the cost is above the limit in two intervals in succession, or far above
  // it in one. Intervals shorter than 50 ms are ignored.
  std::optional<wait_excess> observe(const wait_reading& reading);
  // Returns the excess at this rate; nullopt within the limit. A target that runs less than a fifth
  // of a CPU counts as a fifth, so that an idle one may cost up to that share of it.
  [[nodiscard]] std::optional<wait_excess> excess_at(double switches_per_s, double run_share) const;

 private:
  double max_share_;
  double ns_per_switch_;
  std::optional<wait_reading> last_;
  bool was_above_ = false;
};

}  // namespace stallscope::collect
