// Records samples from start to end: prepares, opens, attaches, records, and reports the result.
//
//   const auto child_mask = block_ending_signals();
//   const exit_code code = record(options, report, child_mask);
#pragma once

#include <csignal>

#include "base/failure.hpp"
#include "collect/options.hpp"
#include "collect/reporter.hpp"

namespace stallscope::collect {

// Returns the exit code. Throws failure if nothing was recorded.
exit_code record(const collect_options& options, reporter& report, const sigset_t& child_mask);

}  // namespace stallscope::collect
