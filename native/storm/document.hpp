// One round's result as the JSON line that `stallscope-ioqueue storm` prints. Some ms, for it holds
// the reader's histogram. Any thread.
#pragma once

#include <string>

#include "storm/round.hpp"

namespace stallscope::storm {

// Without the line's end.
std::string round_line(const round_result& result);

}  // namespace stallscope::storm
