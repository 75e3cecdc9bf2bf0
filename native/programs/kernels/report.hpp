// Output of `stallscope-kernels`: the list of kernels and the report of a run, as JSON for programs
// and as text for a terminal, without a final newline. Microseconds per call. Any thread.
#pragma once

#include <span>
#include <string>

#include "kernels/runner.hpp"
#include "kernels/table.hpp"

namespace stallscope::kernels {

// Returns the list of schema "stallscope.kernels.list/1".
std::string list_json(std::span<const kernel_entry> kernels);
// Returns a table with a line per kernel: name, expected diagnosis and description.
std::string list_text(std::span<const kernel_entry> kernels);

// Returns the report of schema "stallscope.kernels/1" in one line.
std::string report_json(const kernel_entry& entry, const run_report& report,
                        std::span<const kernel_parameter> parameters,
                        std::span<const kernel_parameter> account = {},
                        std::span<const thread_times> states = {});
std::string report_text(const kernel_entry& entry, const run_report& report,
                        std::span<const kernel_parameter> parameters,
                        std::span<const kernel_parameter> account = {});

}  // namespace stallscope::kernels
