// `stallscope-ioqueue points`: reads a plan, measures its points, prints JSON lines (points.cpp).
#pragma once

namespace stallscope::ioqueue {

// Returns the exit code; throws failure, or std::exception where the machine cannot.
int points();

}  // namespace stallscope::ioqueue
