// Source positions of code: pairs of code offset and position, in variable-length numbers. The
// bytes are untrusted; a damaged table ends at the damage. Pure computation. Any thread.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <vector>

namespace stallscope::v8_frames {

// A position in a script, and the inlined call that it belongs to.
struct source_position {
  std::int32_t offset = -1;    // in the script; -1: none
  std::int32_t inlining = -1;  // index into the inlined calls of the code; -1: its own function
};

source_position decode_position(std::uint64_t word);

class position_table {
 public:
  position_table() = default;
  explicit position_table(std::span<const std::byte> encoded);

  // The position of the last entry at or before a code offset; nullopt before the first.
  [[nodiscard]] std::optional<source_position> at(std::int64_t code_offset) const;
  [[nodiscard]] bool empty() const { return entries_.empty(); }

 private:
  struct entry {
    std::int64_t code_offset = 0;
    std::uint64_t position = 0;
  };
  std::vector<entry> entries_;
};

}  // namespace stallscope::v8_frames
