// Python binding of a zstd stream; stallscope/_native.pyi documents it.
#include <nanobind/nanobind.h>

#include <cstddef>
#include <cstdint>
#include <limits>
#include <span>
#include <vector>

#include "bindings.hpp"
#include "capture/decompressor.hpp"
#include "capture/error.hpp"

namespace nb = nanobind;

namespace stallscope::bindings {
namespace {

constexpr std::size_t piece_bytes = std::size_t{1} << 20U;

// The caller bounds the output, so any ratio of output to input is allowed here.
class zstd_stream {
 public:
  zstd_stream() : stream_(std::numeric_limits<std::uint64_t>::max()), piece_(piece_bytes) {}

  void feed(nb::bytes input) {
    input_ = std::move(input);
    stream_.feed(std::as_bytes(std::span(input_.c_str(), input_.size())), 0);
  }

  nb::bytes produce() {
    std::size_t size = 0;
    try {
      size = stream_.produce(piece_);
    } catch (const capture::capture_error& error) {
      throw nb::value_error(error.what());
    }
    return nb::bytes(reinterpret_cast<const char*>(piece_.data()), size);
  }

  bool complete() const { return stream_.at_frame_end(); }

 private:
  capture::decompressor stream_;
  nb::bytes input_;  // the stream refers to it
  std::vector<std::byte> piece_;
};

}  // namespace

void add_zstd_stream(nb::module_& module) {
  nb::class_<zstd_stream>(module, "ZstdStream")
      .def(nb::init<>())
      .def("feed", &zstd_stream::feed, nb::arg("compressed"))
      .def("produce", &zstd_stream::produce)
      .def_prop_ro("complete", &zstd_stream::complete);
}

}  // namespace stallscope::bindings
