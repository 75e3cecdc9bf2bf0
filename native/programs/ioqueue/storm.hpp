// `stallscope-ioqueue storm`: runs the rounds of a plan; storm.cpp documents the formats.
#pragma once

namespace stallscope::ioqueue {

// Runs the plan from standard input, marks the measured time of each round on `phases_fd` (-1:
// not), and returns the exit code. Throws failure or std::system_error.
int storm(int phases_fd);

}  // namespace stallscope::ioqueue
