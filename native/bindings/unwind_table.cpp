// Tables of call frame information, made and kept by Python, followed by the capture reader.
#include <nanobind/nanobind.h>

#include <cerrno>
#include <span>
#include <system_error>
#include <vector>

#include "bindings.hpp"
#include "unwind/table.hpp"

namespace nb = nanobind;

namespace stallscope::bindings {
namespace {

using unwind::table;

std::span<const std::byte> image_bytes(const nb::bytes& content) {
  return {static_cast<const std::byte*>(content.data()), content.size()};
}

// Tables are made without the GIL: a large one takes a tenth of a second.
table compile(int descriptor, int debug_descriptor) {
  try {
    const nb::gil_scoped_release released;
    return table::compile(descriptor, debug_descriptor);
  } catch (const std::system_error& error) {
    errno = error.code().value();
    PyErr_SetFromErrno(PyExc_OSError);
    throw nb::python_error();
  }
}

table from_image(const nb::bytes& image) {
  const nb::gil_scoped_release released;
  return table::compile(image_bytes(image));
}

table from_bytes(const nb::bytes& content) {
  const nb::gil_scoped_release released;
  return table::from_bytes(image_bytes(content));
}

nb::bytes to_bytes(const table& self) {
  const std::vector<std::byte> content = self.to_bytes();
  return nb::bytes(content.data(), content.size());
}

void add_table_error(nb::module_& module) {
  static PyObject* type = nullptr;
  type = PyErr_NewExceptionWithDoc("stallscope._native.UnwindTableError",
                                   "Bytes that no unwind table can be made of.", PyExc_ValueError,
                                   nullptr);
  if (type == nullptr) {
    throw nb::python_error();
  }
  module.attr("UnwindTableError") = nb::handle(type);
  nb::register_exception_translator([](const std::exception_ptr& thrown, void*) {
    try {
      std::rethrow_exception(thrown);
    } catch (const unwind::table_error& error) {
      PyErr_SetString(type, error.what());
    }
  });
}

}  // namespace

void add_unwind_table(nb::module_& module) {
  add_table_error(module);
  nb::class_<table>(module, "UnwindTable", nb::is_final())
      .def_static("compile", &compile, nb::arg("descriptor"), nb::arg("debug_descriptor") = -1)
      .def_static("from_image", &from_image, nb::arg("image"))
      .def_static("from_bytes", &from_bytes, nb::arg("content"))
      .def("to_bytes", &to_bytes)
      .def_prop_ro("rows", &table::rows)
      .def_prop_ro("bad_entries", &table::bad_entries)
      .def_prop_ro("frame_pointer_share", &table::frame_pointer_share);
}

}  // namespace stallscope::bindings
