// Output of `stallscope-kernels mix`: JSON lines for programs, a table for a terminal. Microseconds
// per line. Any thread.
#pragma once

#include <cstdio>
#include <string>

#include "kernels/mix.hpp"

namespace stallscope::kernels {

// Returns a snapshot as a line of schema "stallscope.kernels.mix/1", without the newline.
std::string json_line(const mix_snapshot& snapshot, long pid);

// Returns a table with a line per function: its share of the CPU time of all functions, and its CPU
// time.
std::string share_table(const mix_snapshot& snapshot);

// Writes and flushes the line. Returns false if the write fails, for example with EPIPE or ENOSPC.
bool write_line(std::FILE* file, const std::string& line);

}  // namespace stallscope::kernels
