// Counts events from start to end: prepares, opens, attaches, counts, and reports the result.
//
//   const auto child_mask = collect::block_ending_signals();
//   const exit_code code = count_events(options, report, child_mask);
#pragma once

#include <csignal>

#include "base/failure.hpp"
#include "collect/reporter.hpp"
#include "count/options.hpp"

namespace stallscope::count {

// Returns the exit code. Throws failure if nothing was counted.
exit_code count_events(const count_options& options, collect::reporter& report,
                       const sigset_t& child_mask);

}  // namespace stallscope::count
