// A queue of a fixed size from one thread to one other, without a lock: a push or pop is a store, a
// fence-free release on x86, and a look at the other side's index only where the remembered one
// says full or empty. Refuses when full; never blocks.
#pragma once

#include <array>
#include <atomic>
#include <bit>
#include <cstddef>

namespace stallscope::reactor {

template <typename Item, std::size_t capacity>
class bounded_queue {
  static_assert(std::has_single_bit(capacity));

 public:
  // By the one thread that pushes.
  bool push(Item item) noexcept {
    const std::size_t end = end_.load(std::memory_order_relaxed);
    if (end - first_seen_ == capacity) {
      first_seen_ = first_.load(std::memory_order_acquire);
      if (end - first_seen_ == capacity) return false;
    }
    ring_[end % capacity] = item;
    end_.store(end + 1, std::memory_order_release);
    return true;
  }

  // By the one thread that pops.
  bool pop(Item& item) noexcept {
    const std::size_t first = first_.load(std::memory_order_relaxed);
    if (first == end_seen_) {
      end_seen_ = end_.load(std::memory_order_acquire);
      if (first == end_seen_) return false;
    }
    item = ring_[first % capacity];
    first_.store(first + 1, std::memory_order_release);
    return true;
  }

 private:
  // Each side's own on a cache line of its own.
  alignas(64) std::atomic<std::size_t> end_{0};
  std::size_t first_seen_ = 0;
  alignas(64) std::atomic<std::size_t> first_{0};
  std::size_t end_seen_ = 0;
  alignas(64) std::array<Item, capacity> ring_{};
};

}  // namespace stallscope::reactor
