// `stallscope-ioqueue storm`: runs the rounds of a plan; storm.cpp documents the formats.
#pragma once

namespace stallscope::ioqueue {

// Runs the plan from standard input and returns the exit code. Throws failure or std::system_error.
int storm();

}  // namespace stallscope::ioqueue
