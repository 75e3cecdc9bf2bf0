// The result of a point as the JSON line that `stallscope-ioqueue points` prints. Costs some ms,
// because the line contains the histogram. Any thread.
#pragma once

#include <string>

#include "disk/point_run.hpp"

namespace stallscope::disk {

// The line has no newline.
std::string point_line(const point_result& result);

}  // namespace stallscope::disk
