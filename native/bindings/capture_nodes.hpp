// Memory nodes and hardware traces of a capture, for Python, and names that may be no UTF-8.
#pragma once

#include <nanobind/nanobind.h>

#include <string>

namespace stallscope::bindings {

// Bytes that are no UTF-8 become backslash escapes.
nanobind::str as_text(const std::string& text);

void add_nodes_and_traces(nanobind::module_& module);

}  // namespace stallscope::bindings
