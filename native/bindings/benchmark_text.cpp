// Python binding of the reader of benchmark results; stallscope/_native.pyi documents it.
#include "benchmark_text/geometric_mean.hpp"
#include "benchmark_text/go_functions.hpp"
#include "benchmark_text/results.hpp"
#include "benchmark_text/samples.hpp"
#include "benchmark_text/units.hpp"

#include <nanobind/ndarray.h>

#include <string>

#include "bindings.hpp"
#include "columns.hpp"
#include "reading.hpp"

namespace nb = nanobind;

namespace stallscope::bindings {
namespace {

using benchmark_text::rank_test_result;
using benchmark_text::results;
using benchmark_text::samples;

using indexes = nb::ndarray<const std::int64_t, nb::ndim<1>, nb::c_contig, nb::device::cpu>;

std::span<const std::int64_t> index_span(const indexes& values) {
  return {values.data(), values.shape(0)};
}

// Bytes that are not UTF-8 become surrogates, as in the names of files.
nb::str python_text(std::string_view text) {
  return nb::steal<nb::str>(
      PyUnicode_DecodeUTF8(text.data(), static_cast<Py_ssize_t>(text.size()), "surrogateescape"));
}

// The inverse of python_text.
std::string utf8_text(const nb::str& text) {
  const nb::bytes bytes =
      nb::steal<nb::bytes>(PyUnicode_AsEncodedString(text.ptr(), "utf-8", "surrogateescape"));
  if (!bytes.is_valid()) {
    throw nb::python_error();
  }
  return {bytes.c_str(), bytes.size()};
}

nb::list texts(const text_input::interned_strings& strings) {
  nb::list list;
  for (std::size_t id = 0; id < strings.size(); ++id) {
    list.append(python_text(strings[static_cast<std::uint32_t>(id)]));
  }
  return list;
}

void read(results& all, int descriptor, std::uint32_t file) {
  read_without_gil([&] { all.read(descriptor, file); });
}

nb::list configurations(const results& all) {
  nb::list list;
  for (const results::configuration& configuration : all.configurations()) {
    nb::list entries;
    for (const auto& [key, value] : configuration) {
      entries.append(
          nb::make_tuple(python_text(all.words()[key]), python_text(all.words()[value])));
    }
    list.append(entries);
  }
  return list;
}

nb::dict series_columns(const results& all) {
  using benchmark_text::series;
  nb::dict columns;
  columns["file"] = field_column(all.all_series(), [](const series& row) { return row.file; });
  columns["configuration"] =
      field_column(all.all_series(), [](const series& row) { return row.configuration; });
  columns["name"] = field_column(all.all_series(), [](const series& row) { return row.name; });
  columns["unit"] = field_column(all.all_series(), [](const series& row) { return row.unit; });
  columns["original_unit"] =
      field_column(all.all_series(), [](const series& row) { return row.original_unit; });
  columns["unscaled"] =
      field_column(all.all_series(), [](const series& row) { return row.unscaled; });
  columns["size"] =
      field_column(all.all_series(), [](const series& row) { return row.values.size(); });
  return columns;
}

nb::object series_values(const results& all, std::size_t index) {
  if (index >= all.all_series().size()) {
    throw nb::index_error("no such series");
  }
  return new_column(std::vector<double>(all.all_series()[index].values));
}

nb::list metadata(const results& all) {
  nb::list list;
  for (const benchmark_text::unit_metadata& entry : all.metadata()) {
    list.append(nb::make_tuple(python_text(all.units()[entry.unit]), python_text(entry.key),
                               python_text(entry.value)));
  }
  return list;
}

nb::list errors(const results& all) {
  nb::list list;
  for (const benchmark_text::syntax_error& error : all.errors()) {
    list.append(nb::make_tuple(error.file, error.line, python_text(error.message)));
  }
  return list;
}

nb::object nan_counts(const samples& cells) {
  std::vector<std::int64_t> counts;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    counts.push_back(cells.nan_count(cell));
  }
  return new_column(std::move(counts));
}

nb::object sizes(const samples& cells) {
  std::vector<std::int64_t> counts;
  for (std::size_t cell = 0; cell < cells.size(); ++cell) {
    counts.push_back(static_cast<std::int64_t>(cells.values(cell).size()));
  }
  return new_column(std::move(counts));
}

nb::object sorted_values(const samples& cells, std::size_t cell) {
  if (cell >= cells.size()) {
    throw nb::index_error("no such cell");
  }
  const std::span<const double> values = cells.values(cell);
  return new_column(std::vector<double>(values.begin(), values.end()));
}

nb::tuple compare(const samples& cells, const indexes& bases, const indexes& heads) {
  std::vector<rank_test_result> tests;
  {
    const nb::gil_scoped_release released;
    tests = cells.compare(index_span(bases), index_span(heads));
  }
  std::vector<double> p;
  std::vector<double> p_doubled;
  std::vector<std::int64_t> kinds;
  for (const rank_test_result& test : tests) {
    p.push_back(test.p);
    p_doubled.push_back(test.p_doubled);
    kinds.push_back(static_cast<std::int64_t>(test.kind));
  }
  return nb::make_tuple(new_column(std::move(p)), new_column(std::move(p_doubled)),
                        new_column(std::move(kinds)));
}

}  // namespace

void add_benchmark_text(nb::module_& module) {
  module.def(
      "geometric_mean",
      [](const nb::ndarray<const double, nb::ndim<1>, nb::c_contig, nb::device::cpu>& values) {
        return benchmark_text::geometric_mean({values.data(), values.shape(0)});
      },
      nb::arg("values"));
  module.def(
      "benchmark_base_unit",
      [](const nb::str& unit) {
        return python_text(benchmark_text::to_base_unit(utf8_text(unit)).unit);
      },
      nb::arg("unit"));
  module.def("go_binomial", &benchmark_text::go_binomial, nb::arg("n"), nb::arg("k"));
  nb::class_<results>(module, "BenchmarkResults")
      .def(nb::init<>())
      .def("read", &read, nb::arg("descriptor"), nb::arg("file"))
      .def("names", [](const results& all) { return texts(all.names()); })
      .def("units", [](const results& all) { return texts(all.units()); })
      .def("configurations", &configurations)
      .def("series", &series_columns)
      .def("values", &series_values, nb::arg("series"))
      .def("unit_metadata", &metadata)
      .def("errors", &errors)
      .def_prop_ro("dropped_errors", &results::dropped_errors)
      .def_prop_ro("result_lines", &results::result_lines);
  nb::class_<samples>(module, "BenchmarkSamples")
      .def(
          "__init__",
          [](samples* self, const results& all, const indexes& offsets, const indexes& series) {
            const nb::gil_scoped_release released;
            new (self) samples(all, index_span(offsets), index_span(series));
          },
          nb::arg("results"), nb::arg("offsets"), nb::arg("series"))
      .def("sizes", &sizes)
      .def("nan_counts", &nan_counts)
      .def("values", &sorted_values, nb::arg("cell"))
      .def(
          "order_statistics",
          [](const samples& cells, const indexes& ranks) {
            return new_column(cells.order_statistics(index_span(ranks)));
          },
          nb::arg("ranks"))
      .def("compare", &compare, nb::arg("bases"), nb::arg("heads"));
}

}  // namespace stallscope::bindings
