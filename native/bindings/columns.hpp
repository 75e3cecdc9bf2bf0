// A vector handed to Python as a numpy array, without a copy.
#pragma once

#include <nanobind/nanobind.h>
#include <nanobind/ndarray.h>

#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace stallscope::bindings {

template <typename Value>
nanobind::object new_column(std::vector<Value> values) {
  auto storage = std::make_unique<std::vector<Value>>(std::move(values));
  Value* data = storage->data();
  const std::size_t size = storage->size();
  const nanobind::capsule owner(storage.release(), [](void* pointer) noexcept {
    delete static_cast<std::vector<Value>*>(pointer);
  });
  static Value empty{};
  return nanobind::cast(nanobind::ndarray<nanobind::numpy, Value, nanobind::ndim<1>>(
      size == 0 ? &empty : data, {size}, owner));
}

// One field of each row, as a column of 64-bit integers.
template <typename Rows, typename Field>
nanobind::object field_column(const Rows& rows, Field field) {
  std::vector<std::int64_t> column;
  column.reserve(rows.size());
  for (const auto& row : rows) {
    column.push_back(static_cast<std::int64_t>(field(row)));
  }
  return new_column(std::move(column));
}

}  // namespace stallscope::bindings
