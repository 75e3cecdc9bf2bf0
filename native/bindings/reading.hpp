// Reads a descriptor without the GIL; a failure of the system becomes OSError.
#pragma once

#include <nanobind/nanobind.h>

#include <cerrno>
#include <system_error>

namespace stallscope::bindings {

// Calls `read`, which may throw std::system_error, without the GIL.
template <typename Read>
void read_without_gil(Read read) {
  int failure = 0;
  {
    const nanobind::gil_scoped_release released;
    try {
      read();
    } catch (const std::system_error& error) {
      failure = error.code().value();
    }
  }
  if (failure != 0) {
    errno = failure;
    PyErr_SetFromErrno(PyExc_OSError);
    throw nanobind::python_error();
  }
}

}  // namespace stallscope::bindings
