// A file of a recording that is being written, above all samples.perf. It appends whole records and
// keeps the end of the last whole record. An append is one or a few writev calls directly from the
// caller's memory. One thread.
//
//   sample_file file{output.create("samples.perf")};
//   file.append(std::as_bytes(std::span{header}));
//   file.divert(&blocks);   // appends go to memory until divert(nullptr)
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

#include "base/descriptor.hpp"
#include "collect/append_sink.hpp"

namespace stallscope::collect {

class sample_file {
 public:
  explicit sample_file(descriptor fd, std::string name = "samples.perf")
      : fd_{std::move(fd)}, name_{std::move(name)} {}

  // Throws std::system_error if the write fails. The file then ends after the last whole append.
  void append(std::span<const std::byte> bytes);
  void append(std::span<iovec> pieces);

  // From now on appends go to the sink, which must outlive this use; nullptr ends that.
  void divert(append_sink* sink) { sink_ = sink; }

  // With what the sink holds.
  [[nodiscard]] std::uint64_t size_bytes() const {
    return size_bytes_ + (sink_ == nullptr ? 0 : sink_->size_bytes());
  }

 private:
  [[noreturn]] void cut_back(int error);
  descriptor fd_;
  std::string name_;
  std::uint64_t size_bytes_ = 0;
  append_sink* sink_ = nullptr;
};

}  // namespace stallscope::collect
