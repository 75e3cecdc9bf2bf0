// A file of a recording, being written, samples.perf above all: appends whole records and knows
// where the last whole one ended. Each append is one or a few writev calls straight from the
// caller's memory. One thread.
#pragma once

#include <sys/uio.h>

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <system_error>

#include "base/descriptor.hpp"

namespace stallscope::collect {

class sample_file {
 public:
  explicit sample_file(descriptor fd, std::string name = "samples.perf")
      : fd_{std::move(fd)}, name_{std::move(name)} {}

  // Throws std::system_error where the file cannot take it; then it has been cut back to the last
  // whole append.
  void append(std::span<const std::byte> bytes);
  void append(std::span<iovec> pieces);

  [[nodiscard]] std::uint64_t size_bytes() const { return size_bytes_; }

 private:
  [[noreturn]] void cut_back(int error);
  descriptor fd_;
  std::string name_;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace stallscope::collect
