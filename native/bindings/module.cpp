#include "bindings.hpp"

NB_MODULE(_native, module) {
  module.attr("VERSION") = STALLSCOPE_VERSION;
  stallscope::bindings::add_unwind_table(module);
  stallscope::bindings::add_capture(module);
  stallscope::bindings::add_demangle(module);
}
