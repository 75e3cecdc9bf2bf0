// One point's result as the JSON line that `stallscope-ioqueue points` prints. Some ms, for it
// holds the histogram. Any thread.
#pragma once

#include <string>

#include "disk/point_run.hpp"

namespace stallscope::disk {

// Without the line's end.
std::string point_line(const point_result& result);

}  // namespace stallscope::disk
