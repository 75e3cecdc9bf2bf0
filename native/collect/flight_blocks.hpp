// The newest appends of a file, in memory: blocks in the order of time, of which the oldest are
// dropped. A block holds whole appends, that is whole records or lines. Costs a copy per append.
// One thread.
//
//   flight_blocks blocks;
//   file.divert(&blocks);
//   while (recording) {
//     drain.pass();
//     blocks.cut(monotonic_ns());
//     while (blocks.oldest_ended_before(horizon_ns)) take(blocks.drop_oldest());
//   }
//   for (const auto& block : blocks.all()) file.append(block.bytes);
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <vector>

#include "collect/append_sink.hpp"

namespace stallscope::collect {

struct flight_block {
  std::vector<std::byte> bytes;
  // The data were produced between these times of the monotonic clock.
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
};

class flight_blocks : public append_sink {
 public:
  // A block ends after this time or at this size, at the next cut.
  static constexpr std::uint64_t block_ns = 1'000'000'000;
  static constexpr std::size_t block_bytes = std::size_t{256} << 10U;

  explicit flight_blocks(std::uint64_t begin_ns) { blocks_.push_back({{}, begin_ns, begin_ns}); }

  void append(std::span<const iovec> pieces) override;
  [[nodiscard]] std::uint64_t size_bytes() const override { return size_bytes_; }

  // Call after each pass of the drain: all data produced before `now_ns` have been appended.
  // Returns whether a new block begins.
  bool cut(std::uint64_t now_ns);
  // Whether the oldest block is complete and has no data since that time.
  [[nodiscard]] bool oldest_ended_before(std::uint64_t ns) const {
    return blocks_.size() > 1 && blocks_.front().end_ns <= ns;
  }
  [[nodiscard]] bool has_complete() const { return blocks_.size() > 1; }
  // Removes the oldest block, which must be complete.
  flight_block drop_oldest();
  // The last block is not complete.
  [[nodiscard]] const std::deque<flight_block>& all() const { return blocks_; }

 private:
  std::deque<flight_block> blocks_;
  std::uint64_t size_bytes_ = 0;
};

}  // namespace stallscope::collect
