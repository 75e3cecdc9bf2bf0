#include "capture_nodes.hpp"

#include "capture/capture.hpp"

namespace nb = nanobind;

namespace stallscope::bindings {

nb::str as_text(const std::string& text) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "backslashreplace"));
}

void add_nodes_and_traces(nb::module_& module) {
  using capture::memory_node;
  using capture::trace_block;
  nb::class_<memory_node>(module, "MemoryNode", nb::is_final())
      .def_ro("number", &memory_node::number)
      .def_prop_ro("cpus", [](const memory_node& self) { return as_text(self.cpus); })
      .def_prop_ro("memory", [](const memory_node& self) {
        nb::list ranges;
        for (const auto& [start, end] : self.memory) ranges.append(nb::make_tuple(start, end));
        return ranges;
      });
  nb::class_<trace_block>(module, "TraceBlock", nb::is_final())
      .def_ro("file_offset", &trace_block::file_offset)
      .def_ro("bytes", &trace_block::bytes)
      .def_ro("tid", &trace_block::tid)
      .def_ro("cpu", &trace_block::cpu);
}

}  // namespace stallscope::bindings
