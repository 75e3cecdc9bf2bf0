// Consistent reads from a running process by reading its memory twice. If the second read returns
// the same values at all addresses, they existed together at the end of the first read. Costs a
// system call per window for the first read and a single call for the second. A reader that expects
// the windows of its previous read saves their calls. Belongs to a single thread.
//  reading.begin();
//  const auto bytes = reading.first(address, 8);
//  const bool consistent = reading.read_again() && equal(*bytes, reading.second(address, 8));
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "process_reading/process_memory.hpp"

namespace stallscope::process_reading {

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
  // Without effect if a window contains the range.
  bool add_window(extent range);
  // What first() has returned of the windows after the first `skipped`, at most `max_count`
  // windows. One that begins at a page ends at a page, because a deeper stack may use the rest.
  [[nodiscard]] std::vector<extent> used_windows(std::size_t skipped, std::size_t max_count) const;
  // The bytes of the first read at an address. Reads them if no window contains them; after several
  // such reads also reads the memory below, which contains further callers. The span is valid until
  // begin(). Returns nullopt if the bytes cannot be read.
  std::optional<std::span<const std::byte>> first(std::uint64_t address, std::size_t bytes);
  // Reads all windows again, and further ranges after them, with a single call. Returns false if
  // a window or a range cannot be read.
  bool read_again(std::span<const memory_range> further = {});
  // The bytes of the second read at an address that first() has returned.
  [[nodiscard]] std::span<const std::byte> second(std::uint64_t address, std::size_t bytes) const;

 private:
  struct window {
    std::uint64_t begin = 0;
    std::vector<std::byte> first;
    std::vector<std::byte> second;
    std::size_t used_bytes = 0;  // up to the last byte that first() has returned
  };
  [[nodiscard]] const window* holding(std::uint64_t address, std::size_t bytes) const;

  const process_memory* memory_;
  std::vector<window> windows_;  // buffers are reused after begin()
  std::size_t used_ = 0;
  std::vector<memory_range> ranges_;
};

}  // namespace stallscope::process_reading
