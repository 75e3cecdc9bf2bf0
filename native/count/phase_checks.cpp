#include "count/phase_checks.hpp"

#include <algorithm>
#include <string>

namespace stallscope::count {
namespace {

// Of the phase. A change is applied when this thread gets a CPU, after the mark.
constexpr double max_late_share = 0.01;

bool is_late(const counted_phase& phase) {
  const auto late_ns = (phase.start_ns - std::min(phase.marked_start_ns, phase.start_ns)) +
                       (phase.stop_ns - std::min(phase.marked_stop_ns, phase.stop_ns));
  const auto length_ns =
      phase.marked_stop_ns - std::min(phase.marked_start_ns, phase.marked_stop_ns);
  return static_cast<double>(late_ns) > max_late_share * static_cast<double>(length_ns);
}

}  // namespace

std::vector<warning> check_phases(std::span<const counted_phase> phases, std::uint64_t bad_lines) {
  std::vector<warning> warnings;
  if (phases.empty()) {
    warnings.push_back({"no-phase", "nothing was counted: no phase was marked before the end"});
  }
  if (const auto late = std::count_if(phases.begin(), phases.end(), is_late)) {
    warnings.push_back({"phase-late", std::to_string(late) + " of " +
                                          std::to_string(phases.size()) +
                                          " phases were counted more than 1 % of their length "
                                          "later than they were marked"});
  }
  if (bad_lines != 0) {
    warnings.push_back({"bad-mark", std::to_string(bad_lines) +
                                        " lines on the descriptor of phases were not marks"});
  }
  return warnings;
}

}  // namespace stallscope::count
