// `stallscope-ioqueue storm`.
#pragma once

namespace stallscope::ioqueue {

// Runs the rounds of the plan on standard input; the exit code. Throws failure, std::system_error.
int storm();

}  // namespace stallscope::ioqueue
