// The parts of the Python module, one file per part.
#pragma once

#include <nanobind/nanobind.h>

namespace stallscope::bindings {

void add_benchmark_text(nanobind::module_& module);
void add_block_trace(nanobind::module_& module);
void add_capture(nanobind::module_& module);
void add_cpuidle(nanobind::module_& module);
void add_demangle(nanobind::module_& module);
void add_perf_script(nanobind::module_& module);
void add_source_locations(nanobind::module_& module);
void add_unwind_table(nanobind::module_& module);
void add_zstd_stream(nanobind::module_& module);

}  // namespace stallscope::bindings
