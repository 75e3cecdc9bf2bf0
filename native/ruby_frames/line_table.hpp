// The source lines of an instruction sequence: entries, and an index with a bit per instruction
// word that starts a new entry (succ_index_table of iseq.c). The bytes are untrusted. Pure
// computation. Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace stallscope::ruby_frames {

// The size of the index of a sequence of this many words.
std::size_t line_index_bytes(std::uint32_t words);

class line_table {
 public:
  line_table() = default;
  // `entries` begin with a line each and have `entry_bytes` bytes.
  line_table(std::span<const std::byte> entries, std::size_t entry_bytes,
             std::span<const std::byte> index);

  // The line of the instruction at this word; 0 if it is not known.
  [[nodiscard]] std::uint32_t line_at(std::uint64_t word) const;

 private:
  std::vector<std::uint32_t> lines_;
  std::vector<std::byte> index_;
};

}  // namespace stallscope::ruby_frames
