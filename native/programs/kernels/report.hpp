// How `stallscope-kernels` says what it knows of its kernels, and what a run of one took: JSON to
// programs, words to people; none ends in a newline.
#pragma once

#include <span>
#include <string>

#include "kernels/runner.hpp"
#include "kernels/table.hpp"

namespace stallscope::kernels {

// "stallscope.kernels.list/1".
std::string list_json(std::span<const kernel_entry> kernels);
// A line each: name and expected answer.
std::string list_words(std::span<const kernel_entry> kernels);

// "stallscope.kernels/1" in one line.
std::string report_json(const kernel_entry& entry, const run_report& report,
                        std::span<const kernel_parameter> parameters);
std::string report_words(const kernel_entry& entry, const run_report& report,
                         std::span<const kernel_parameter> parameters);

}  // namespace stallscope::kernels
