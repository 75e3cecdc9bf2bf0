#include "ruby_frames/line_table.hpp"

#include <bit>

#include "process_reading/process_memory.hpp"

namespace stallscope::ruby_frames {
namespace {

using process_reading::value_at;

// The ranks of the first words are stored directly, nine of 7 bits in a word. Blocks of 512 bits
// follow: the rank before the block, ranks of 9 bits of its words, and the bits.
constexpr std::uint64_t direct_words = 54;
constexpr std::uint64_t ranks_per_word = 9;
constexpr unsigned direct_rank_bits = 7;
constexpr std::size_t direct_bytes = direct_words / ranks_per_word * 8;
constexpr std::uint64_t block_bits = 512;
constexpr std::size_t block_bytes = 80;
constexpr std::size_t block_ranks = 8;
constexpr std::size_t block_bits_at = 16;
constexpr unsigned small_rank_bits = 9;

}  // namespace

std::size_t line_index_bytes(std::uint32_t words) {
  if (words <= direct_words) return direct_bytes;
  const auto blocks = (words - direct_words + block_bits - 1) / block_bits;
  return direct_bytes + static_cast<std::size_t>(blocks) * block_bytes;
}

line_table::line_table(std::span<const std::byte> entries, std::size_t entry_bytes,
                       std::span<const std::byte> index)
    : index_{index.begin(), index.end()} {
  for (std::size_t at = 0; entry_bytes != 0 && at + entry_bytes <= entries.size();
       at += entry_bytes)
    lines_.push_back(value_at<std::uint32_t>(entries, at));
}

std::uint32_t line_table::line_at(std::uint64_t word) const {
  if (lines_.size() <= 1) return lines_.empty() ? 0 : lines_.front();
  std::uint64_t rank = 0;
  if (word < direct_words) {
    const auto ranks =
        value_at<std::uint64_t>(index_, static_cast<std::size_t>(word / ranks_per_word * 8));
    rank = (ranks >> (word % ranks_per_word * direct_rank_bits)) & 0x7fU;
  } else {
    const auto bit = (word - direct_words) % block_bits;
    const auto block =
        direct_bytes + static_cast<std::size_t>((word - direct_words) / block_bits) * block_bytes;
    if (block + block_bytes > index_.size()) return 0;
    const auto small = bit / 64;
    const auto ranks = value_at<std::uint64_t>(index_, block + block_ranks);
    const auto bits = value_at<std::uint64_t>(
        index_, block + block_bits_at + static_cast<std::size_t>(small) * 8);
    rank = value_at<std::uint32_t>(index_, block) +
           (small == 0 ? 0 : (ranks >> ((small - 1) * small_rank_bits)) & 0x1ffU) +
           static_cast<std::uint64_t>(std::popcount(bits << (63 - bit % 64)));
  }
  return rank == 0 || rank > lines_.size() ? 0 : lines_[static_cast<std::size_t>(rank) - 1];
}

}  // namespace stallscope::ruby_frames
