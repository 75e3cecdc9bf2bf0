// The managed frames and interpreters that Python passes to read_capture.
#pragma once

#include <nanobind/ndarray.h>

#include <cstdint>
#include <tuple>
#include <unordered_map>

#include "capture/read_capture.hpp"

namespace stallscope::bindings {

namespace nb = nanobind;

template <typename Value>
using managed_column = nb::ndarray<const Value, nb::ndim<1>, nb::c_contig, nb::device::cpu>;
using run_rows = nb::ndarray<const std::uint64_t, nb::shape<-1, 6>, nb::c_contig, nb::device::cpu>;

// The managed frames of samples: times, threads, first run of each sample and the end, runs.
using managed_arrays = std::tuple<managed_column<std::uint64_t>, managed_column<std::int32_t>,
                                  managed_column<std::uint64_t>, run_rows>;

// Interpreters of processes: loops (pid, begin, end, register), and codes (pid, begin, end,
// number).
using rows_of_four =
    nb::ndarray<const std::uint64_t, nb::shape<-1, 4>, nb::c_contig, nb::device::cpu>;
using interpreter_arrays = std::tuple<rows_of_four, rows_of_four>;

// Copy the arrays. Throw nb::value_error if they do not fit together.
capture::managed_samples managed_of(const managed_arrays& from);
std::unordered_map<std::int32_t, capture::interpreter> interpreters_of(
    const interpreter_arrays& from);

}  // namespace stallscope::bindings
