// Reuses the buffers of compaction: new memory costs a page fault per block.
//
//   aligned_memory buffer = memory.take(bytes);
//   memory.give_back(std::move(buffer));
//
// Cost: an allocation if no buffer is free, or if more than a chunk is needed. Thread: that of the
// shard.
#pragma once

#include <algorithm>
#include <cstdint>
#include <new>
#include <utility>
#include <vector>

#include "value_log/aligned_memory.hpp"

namespace stallscope::value_log {

class chunk_memory {
 public:
  explicit chunk_memory(std::uint64_t chunk_bytes) : chunk_bytes_(chunk_bytes) {}

  [[nodiscard]] std::uint64_t chunk_bytes() const noexcept { return chunk_bytes_; }
  // A buffer of at least `bytes` bytes and at least one chunk.
  [[nodiscard]] aligned_memory take(std::uint64_t bytes) {
    if (bytes > chunk_bytes_ || free_.empty()) {
      return aligned_memory(std::max(bytes, chunk_bytes_));
    }
    aligned_memory buffer = std::move(free_.back());
    free_.pop_back();
    return buffer;
  }
  // Keeps buffers of one chunk and frees larger ones.
  void give_back(aligned_memory&& buffer) noexcept {
    if (buffer.size() != chunk_bytes_) return;
    try {
      free_.push_back(std::move(buffer));
    } catch (const std::bad_alloc&) {  // the buffer is freed
    }
  }
  void clear() { free_.clear(); }

 private:
  std::uint64_t chunk_bytes_;
  std::vector<aligned_memory> free_;
};

}  // namespace stallscope::value_log
