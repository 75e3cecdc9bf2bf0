// Receives what a file of a recording would append, while the file is diverted. One thread.
#pragma once

#include <sys/uio.h>

#include <cstdint>
#include <span>

namespace stallscope::collect {

class append_sink {
 public:
  append_sink() = default;
  append_sink(const append_sink&) = delete;
  append_sink& operator=(const append_sink&) = delete;
  append_sink(append_sink&&) = delete;
  append_sink& operator=(append_sink&&) = delete;
  virtual ~append_sink() = default;
  // Throws std::bad_alloc.
  virtual void append(std::span<const iovec> pieces) = 0;
  [[nodiscard]] virtual std::uint64_t size_bytes() const = 0;
};

}  // namespace stallscope::collect
