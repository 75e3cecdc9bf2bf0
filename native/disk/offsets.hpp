// Chooses the block and direction of the next request: random or sequential within a span, and
// reproducible from a seed. Costs about 2 ns per call (xoshiro256**, Blackman and Vigna, 2018). One
// thread.
//
//   offsets blocks{target, settings};
//   const bool write = blocks.next_writes();
//   const std::uint64_t offset = blocks.next();
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

  // Returns a number below `limit`, which is not 0. The bias is at most limit / 2^64 (Lemire,
  // 2019).
  std::uint64_t below(std::uint64_t limit) noexcept {
    __extension__ using wide = unsigned __int128;
    return static_cast<std::uint64_t>((wide{next()} * limit) >> 64U);
  }

  // Returns a number in [0, 1).
  double share() noexcept { return static_cast<double>(next() >> 11U) * 0x1p-53; }

 private:
  std::array<std::uint64_t, 4> state_{};
};

class offsets {
 public:
  // The span holds at least one block. A sequence starts at the share `first_share` of the span.
  offsets(const target& span, const point& settings, double first_share = 0) noexcept
      : random_{settings.seed},
        first_{span.offset},
        blocks_{span.span_bytes / settings.block_bytes},
        block_bytes_{settings.block_bytes},
        next_{static_cast<std::uint64_t>(static_cast<double>(blocks_) * first_share)},
        write_below_{settings.read_share <= 0
                         ? UINT64_MAX
                         : static_cast<std::uint64_t>((1 - settings.read_share) * 0x1p63) * 2},
        sequential_{settings.pattern == pattern::sequential} {}

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
