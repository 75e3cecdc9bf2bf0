// Memory of a running process looked at twice. What a first look found in several places stood
// there at one moment if a second look finds the same in all of them: the moment is the end of the
// first look. Costs one system call for each window of memory at the first look, one for all of
// them at the second. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "python_frames/process_memory.hpp"

namespace stallscope::python_frames {

class double_look {
 public:
  explicit double_look(const process_memory& memory) noexcept : memory_{&memory} {}

  void begin();
  // Reads windows by one call, before any look into them; false where one of them, or nothing,
  // could be read.
  struct extent {
    std::uint64_t begin = 0;
    std::uint64_t end = 0;
  };
  bool add_windows(std::span<const extent> extents);
  bool add_window(extent one) { return add_windows(std::span{&one, 1}); }
  // The first look at a place, read where no window holds it; after many of them, with what lies
  // below, where further callers are.
  // The bytes stay where they are until begin(). Nothing where they cannot be read.
  std::optional<std::span<const std::byte>> first(std::uint64_t address, std::size_t bytes);
  // Reads all windows again; false where one is gone.
  bool look_again();
  // What the second look found at a place that first() has given.
  [[nodiscard]] std::span<const std::byte> second(std::uint64_t address, std::size_t bytes) const;

 private:
  struct window {
    std::uint64_t begin = 0;
    std::vector<std::byte> first;
    std::vector<std::byte> second;
  };
  [[nodiscard]] const window* holding(std::uint64_t address, std::size_t bytes) const;

  const process_memory* memory_;
  std::vector<window> windows_;  // kept with their memory for the next begin()
  std::size_t used_ = 0;
  std::vector<memory_range> ranges_;
};

}  // namespace stallscope::python_frames
