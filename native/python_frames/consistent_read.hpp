// Consistent reads from a running process by reading its memory twice. If the second read returns
// the same values at all addresses, they existed together at the end of the first read. Costs a
// system call per window for the first read and a single call for the second. Belongs to a single
// thread.
//  reading.begin();
//  const auto bytes = reading.first(address, 8);
//  const bool consistent = reading.read_again() && equal(*bytes, reading.second(address, 8));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "python_frames/process_memory.hpp"

namespace stallscope::python_frames {

class consistent_read {
 public:
  explicit consistent_read(const process_memory& memory) noexcept : memory_{&memory} {}

  void begin();
  // Reads windows with a single call, ahead of first(). Returns false if a window is invalid or
  // cannot be read.
  struct extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  bool add_windows(std::span<const extent> extents);
  bool add_window(extent range) { return add_windows(std::span{&range, 1}); }
  // The bytes of the first read at an address. Reads them if no window contains them; after several
  // such reads also reads the memory below, which contains further callers. The span is valid until
  // begin(). Returns nullopt if the bytes cannot be read.
  std::optional<std::span<const std::byte>> first(std::uint64_t address, std::size_t bytes);
  // Reads all windows again. Returns false if a window is no longer readable.
  bool read_again();
  // The bytes of the second read at an address that first() has returned.
  [[nodiscard]] std::span<const std::byte> second(std::uint64_t address, std::size_t bytes) const;

 private:
  struct window {
    std::uint64_t begin = 0;
    std::vector<std::byte> first;
    std::vector<std::byte> second;
  };
  [[nodiscard]] const window* holding(std::uint64_t address, std::size_t bytes) const;

  const process_memory* memory_;
  std::vector<window> windows_;  // buffers are reused after begin()
  std::size_t used_ = 0;
  std::vector<memory_range> ranges_;
};

}  // namespace stallscope::python_frames
