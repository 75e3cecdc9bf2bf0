#include "bindings.hpp"

NB_MODULE(_native, module) {
  // An error that ends the program keeps objects alive until the exit; that is not worth a message.
  nanobind::set_leak_warnings(false);
  module.attr("VERSION") = STALLSCOPE_VERSION;
  stallscope::bindings::add_unwind_table(module);
  stallscope::bindings::add_capture(module);
  stallscope::bindings::add_block_trace(module);
  stallscope::bindings::add_benchmark_text(module);
  stallscope::bindings::add_cpuidle(module);
  stallscope::bindings::add_demangle(module);
  stallscope::bindings::add_perf_script(module);
  stallscope::bindings::add_zstd_stream(module);
  stallscope::bindings::add_source_locations(module);
}
