// The result of a round as the JSON line that `stallscope-ioqueue storm` prints. Costs some ms,
// because the line contains the reader's histogram. Any thread.
#pragma once

#include <string>

#include "storm/round.hpp"

namespace stallscope::storm {

// The line has no newline.
std::string round_line(const round_result& result);

}  // namespace stallscope::storm
