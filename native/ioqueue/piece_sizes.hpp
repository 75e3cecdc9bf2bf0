// The size of the next piece of a request. A division and a multiplication; no state.
#pragma once

#include <algorithm>
#include <cstdint>

#include "ioqueue/cost.hpp"
#include "ioqueue/transfer.hpp"

namespace stallscope::ioqueue {

struct piece_sizes {
  cost_model costs;
  std::uint64_t most_bytes;   // 0: only the limit on cost splits
  std::uint64_t split_bytes;  // pieces are multiples of it; 0: never split

  // The rest of the transfer behind `started_bytes`, or as much of it as one piece may have.
  [[nodiscard]] transfer next(const transfer& whole, std::uint64_t started_bytes,
                              cost limit) const noexcept {
    transfer piece = whole;
    piece.offset += started_bytes;
    if (piece.memory != nullptr) piece.memory += started_bytes;  // a simulation has no memory
    piece.size_bytes -= started_bytes;
    if (split_bytes == 0) return piece;
    std::uint64_t most = most_bytes == 0 ? piece.size_bytes : most_bytes;
    if (limit != 0) most = std::min(most, costs.bytes_within(piece.kind, limit));
    if (piece.size_bytes <= most) return piece;
    const std::uint64_t multiple = most / split_bytes * split_bytes;
    piece.size_bytes = std::min(piece.size_bytes, std::max(multiple, split_bytes));
    return piece;
  }
};

}  // namespace stallscope::ioqueue
