// A hash index over values stored elsewhere. It holds their numbers and hashes, 8 bytes per value.
// The seed differs between runs, so that a hostile file cannot force collisions. Numbers follow the
// order of insertion, so that results do not depend on the seed. One thread.
//
//   auto number = index.find(hash, [&](std::uint32_t n) { return values[n] == value; });
//   if (number == hash_index::none) index.insert(hash, values.size());
#pragma once

#include <cstdint>
#include <limits>

#include "capture/column.hpp"

namespace stallscope::capture {

std::uint64_t hash_seed();

[[nodiscard]] inline std::uint64_t hash_word(std::uint64_t hash, std::uint64_t word) noexcept {
  __extension__ using wide = unsigned __int128;
  const wide product = static_cast<wide>(hash ^ word) * 0x9e3779b97f4a7c15ULL;
  return static_cast<std::uint64_t>(product) ^ static_cast<std::uint64_t>(product >> 64U) ^
         (hash << 23U | hash >> 41U);
}

class hash_index {
 public:
  explicit hash_index(memory_budget& budget) : budget_(budget), slots_(budget) {}

  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  // Returns the number of the value for which `same(number)` is true, or none.
  template <typename Same>
  [[nodiscard]] std::uint32_t find(std::uint64_t hash, const Same& same) const {
    if (slots_.size() == 0) {
      return none;
    }
    const auto tag = static_cast<std::uint32_t>(hash >> 32U);
    for (std::size_t at = tag & (slots_.size() - 1);; at = (at + 1) & (slots_.size() - 1)) {
      const slot& candidate = slots_[at];
      if (candidate.number == none || (candidate.tag == tag && same(candidate.number))) {
        return candidate.number;
      }
    }
  }
  // Adds a value that is not in the index.
  void insert(std::uint64_t hash, std::uint32_t number) {
    if (number == none) {
      throw limit_exceeded("more than 4,294,967,294 unique values");
    }
    if (used_ * 4 >= slots_.size() * 3) {
      rehash();
    }
    place(slots_, {static_cast<std::uint32_t>(hash >> 32U), number});
    ++used_;
  }

 private:
  struct slot {
    std::uint32_t tag;
    std::uint32_t number;
  };

  static void place(column<slot>& slots, slot value) {
    std::size_t at = value.tag & (slots.size() - 1);
    while (slots[at].number != none) {
      at = (at + 1) & (slots.size() - 1);
    }
    slots[at] = value;
  }
  void rehash() {
    column<slot> larger(budget_);
    larger.resize(slots_.size() == 0 ? 256 : slots_.size() * 2, {0, none});
    for (const slot& old : slots_.values()) {
      if (old.number != none) {
        place(larger, old);
      }
    }
    budget_.release(slots_.size() * sizeof(slot));
    slots_.swap(larger);
  }

  memory_budget& budget_;
  column<slot> slots_;
  std::size_t used_ = 0;
};

}  // namespace stallscope::capture
