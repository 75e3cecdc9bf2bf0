// Python binding of the reader of perf script's text; stallscope/_native.pyi documents it.
#include "perf_script/samples.hpp"

#include <nanobind/stl/optional.h>
#include <nanobind/stl/string.h>

#include <string>

#include "bindings.hpp"
#include "columns.hpp"
#include "reading.hpp"

namespace nb = nanobind;

namespace stallscope::bindings {
namespace {

using script_samples = perf_script::samples;

void read_script(script_samples& all, int descriptor) {
  read_without_gil([&] { all.read(descriptor); });
}

nb::bytes folded_script(const script_samples& all) {
  std::string text;
  {
    const nb::gil_scoped_release released;
    text = all.folded();
  }
  return nb::bytes(text.data(), text.size());
}

nb::list byte_strings(const text_input::interned_strings& all) {
  nb::list list;
  for (std::size_t id = 0; id < all.size(); ++id) {
    const std::string_view text = all[static_cast<std::uint32_t>(id)];
    list.append(nb::bytes(text.data(), text.size()));
  }
  return list;
}

nb::list script_functions(const script_samples& all) {
  nb::list list;
  for (const perf_script::function& entry : all.functions()) {
    list.append(nb::make_tuple(entry.name, entry.file, entry.inlined));
  }
  return list;
}

nb::dict script_stacks(const script_samples& all) {
  using perf_script::stack;
  nb::dict columns;
  columns["command"] = field_column(all.stacks(), [](const stack& row) { return row.command; });
  columns["begin"] = field_column(all.stacks(), [](const stack& row) { return row.begin; });
  columns["size"] = field_column(all.stacks(), [](const stack& row) { return row.size; });
  columns["samples"] = field_column(all.stacks(), [](const stack& row) { return row.samples; });
  columns["period"] = field_column(all.stacks(), [](const stack& row) { return row.period; });
  return columns;
}

nb::list script_addresses(const script_samples& all) {
  nb::list list;
  const auto text_of = [](std::string_view text) { return nb::bytes(text.data(), text.size()); };
  for (const perf_script::file_address& place : all.file_addresses()) {
    list.append(nb::make_tuple(text_of(all.files()[place.file]), place.address,
                               text_of(all.symbols()[place.symbol]), place.offset));
  }
  return list;
}

void set_script_names(script_samples& all, std::size_t address, const nb::bytes& names) {
  if (address >= all.file_addresses().size()) throw nb::index_error("no such address");
  all.set_names(address, {names.c_str(), names.size()});
}

nb::dict script_times(const script_samples& all) {
  using perf_script::timed_sample;
  const auto& rows = all.timed_samples();
  nb::dict columns;
  columns["time_ns"] = field_column(rows, [](const timed_sample& row) { return row.time_ns; });
  columns["stack"] = field_column(rows, [](const timed_sample& row) { return row.stack; });
  columns["period"] = field_column(rows, [](const timed_sample& row) { return row.period; });
  return columns;
}

nb::list script_events(const script_samples& all) {
  nb::list list;
  for (const perf_script::event_count& event : all.events()) {
    list.append(nb::make_tuple(nb::bytes(event.name.data(), event.name.size()), event.samples));
  }
  return list;
}

}  // namespace

void add_perf_script(nb::module_& module) {
  nb::class_<script_samples>(module, "PerfScriptSamples")
      .def(
          "__init__",
          [](script_samples* self, bool shorten, bool kernel, bool jit, bool addresses,
             bool process_ids, bool thread_ids, const std::string& event, std::size_t max_times,
             bool by_address) {
            new (self) script_samples({.style = {.shorten = shorten,
                                                 .kernel = kernel,
                                                 .jit = jit,
                                                 .addresses = addresses},
                                       .process_ids = process_ids,
                                       .thread_ids = thread_ids,
                                       .by_address = by_address,
                                       .event = event,
                                       .max_times = max_times});
          },
          nb::kw_only(), nb::arg("shorten"), nb::arg("kernel"), nb::arg("jit"),
          nb::arg("addresses"), nb::arg("process_ids"), nb::arg("thread_ids"), nb::arg("event"),
          nb::arg("max_times") = 0, nb::arg("by_address") = false)
      .def("read", &read_script, nb::arg("descriptor"))
      .def("folded", &folded_script)
      .def("commands", [](const script_samples& all) { return byte_strings(all.commands()); })
      .def("names", [](const script_samples& all) { return byte_strings(all.names()); })
      .def("files", [](const script_samples& all) { return byte_strings(all.files()); })
      .def("functions", &script_functions)
      .def("frames",
           [](const script_samples& all) {
             return new_column(std::vector<std::uint32_t>(all.frames()));
           })
      .def("file_addresses", &script_addresses)
      .def("set_names", &set_script_names, nb::arg("address"), nb::arg("names"))
      .def_prop_ro("expanded_frames", &script_samples::expanded_frames)
      .def("stacks", &script_stacks)
      .def("times", &script_times)
      .def_prop_ro("has_too_many_times", &script_samples::has_too_many_times)
      .def("events", &script_events)
      .def_prop_ro("event",
                   [](const script_samples& all) {
                     return nb::bytes(all.event().data(), all.event().size());
                   })
      .def_prop_ro("malformed_lines", &script_samples::malformed_lines)
      .def_prop_ro("first_malformed_line", &script_samples::first_malformed_line)
      .def_prop_ro("without_period", &script_samples::without_period)
      .def_prop_ro("duration_ns", &script_samples::duration_ns)
      .def_prop_ro("endless", &script_samples::endless);
}

}  // namespace stallscope::bindings
