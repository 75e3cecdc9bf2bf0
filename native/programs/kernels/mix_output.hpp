// How `stallscope-kernels mix` says what it measured: JSON lines to programs, words to people.
#pragma once

#include <cstdio>
#include <string>

#include "kernels/mix.hpp"

namespace stallscope::kernels {

// One line, "stallscope.kernels.mix/1", without the newline.
std::string json_line(const mix_snapshot& snapshot, long pid);

// A line per function: its share of all functions' CPU time, and that time.
std::string share_table(const mix_snapshot& snapshot);

// Writes at once; false when nobody reads any more or the disk is full.
bool write_line(std::FILE* file, const std::string& line);

}  // namespace stallscope::kernels
