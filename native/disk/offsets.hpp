// Which block the next request is for, and whether it writes: random or in sequence within a span,
// the same for the same seed. Some 2 ns a call (xoshiro256**, of Blackman and Vigna, 2018). One
// thread.
#pragma once

#include <array>
#include <bit>
#include <cstdint>

#include "disk/plan.hpp"

namespace stallscope::disk {

class random_bits {
 public:
  explicit random_bits(std::uint64_t seed) noexcept {
    for (std::uint64_t& word : state_) {  // splitmix64
      seed += 0x9e3779b97f4a7c15U;
      std::uint64_t mixed = seed;
      mixed = (mixed ^ (mixed >> 30U)) * 0xbf58476d1ce4e5b9U;
      mixed = (mixed ^ (mixed >> 27U)) * 0x94d049bb133111ebU;
      word = mixed ^ (mixed >> 31U);
    }
  }

  std::uint64_t next() noexcept {
    const std::uint64_t result = std::rotl(state_[1] * 5, 7) * 9;
    const std::uint64_t shifted = state_[1] << 17U;
    state_[2] ^= state_[0];
    state_[3] ^= state_[1];
    state_[1] ^= state_[2];
    state_[0] ^= state_[3];
    state_[2] ^= shifted;
    state_[3] = std::rotl(state_[3], 45);
    return result;
  }

  // Below `limit`, which is not 0; unevenly by limit / 2^64 at most (Lemire, 2019).
  std::uint64_t below(std::uint64_t limit) noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>((wide{next()} * limit) >> 64U);
  }

  // From 0 up to, not including, 1.
  double share() noexcept { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::array<std::uint64_t, 4> state_{};
};

class offsets {
 public:
  // The span holds one block at least. A sequence begins `first_share` into the span.
  offsets(const target& within, const point& asked, double first_share = 0) noexcept
      : random_{asked.seed},
        first_{within.offset},
        blocks_{within.span_bytes / asked.block_bytes},
        block_bytes_{asked.block_bytes},
        next_{static_cast<std::uint64_t>(static_cast<double>(blocks_) * first_share)},
        write_below_{asked.read_share <= 0
                         ? UINT64_MAX
                         : static_cast<std::uint64_t>((1 - asked.read_share) * 0x1p63) * 2},
        sequential_{asked.pattern == pattern::sequential} {}

  std::uint64_t next() noexcept {
    if (!sequential_) return first_ + random_.below(blocks_) * block_bytes_;
    const std::uint64_t block = next_;
    next_ = block + 1 == blocks_ ? 0 : block + 1;
    return first_ + block * block_bytes_;
  }

  bool next_writes() noexcept {
    if (write_below_ == 0) return false;
    return write_below_ == UINT64_MAX || random_.next() < write_below_;
  }

 private:
  random_bits random_;
  std::uint64_t first_;
  std::uint64_t blocks_;
  std::uint64_t block_bytes_;
  std::uint64_t next_;
  std::uint64_t write_below_;
  bool sequential_;
};

}  // namespace stallscope::disk
