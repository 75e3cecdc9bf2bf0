// I/O requests of the compactor: chunk reads, piece writes, syncs. Each reports to its owner when
// it completes.
#pragma once

#include <cstdint>
#include <utility>
#include <vector>

#include "value_log/compactor.hpp"

namespace stallscope::value_log {

struct compactor::chunk final : io_request {
  explicit chunk(compactor& of_compactor) : owner(of_compactor) { of = io_class::compaction; }
  void io_done(std::int64_t got) override {
    done = true;
    result = got;
    --owner.chunks_under_way_;
    owner.wake();
  }

  compactor& owner;
  aligned_memory memory;
  std::int64_t result = 0;
  bool done = false;
};

struct compactor::piece final : io_request {
  struct kept {
    location from;
    std::uint32_t offset;  // offset in the piece
  };
  piece(compactor& of_compactor, aligned_memory room)
      : owner(of_compactor), memory(std::move(room)) {
    of = io_class::compaction;
  }
  void io_done(std::int64_t result) override { owner.piece_done(*this, result); }

  compactor& owner;
  aligned_memory memory;
  std::uint64_t bytes = 0;
  std::vector<kept> records;
  shared_segment to;
  std::uint64_t at = 0;
};

struct compactor::sync_request final : io_request {
  explicit sync_request(compactor& of_compactor) : owner(of_compactor) {
    of = io_class::compaction;
  }
  void io_done(std::int64_t result) override { owner.synced(result); }

  compactor& owner;
};

}  // namespace stallscope::value_log
