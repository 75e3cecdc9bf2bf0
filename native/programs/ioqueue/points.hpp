// `stallscope-ioqueue points`: measures the points of a plan; points.cpp documents the formats.
#pragma once

namespace stallscope::ioqueue {

// Returns the exit code. Throws failure, or std::exception if the machine cannot measure.
int points();

}  // namespace stallscope::ioqueue
