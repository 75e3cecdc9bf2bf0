// A lock-free queue of fixed size from one producer thread to one consumer thread.
//
// Cost: a push or a pop is one release store (a plain store on x86). The index of the other side is
// read only if the cached copy says full or empty. push() returns false if the queue is full;
// neither side blocks.
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
  // Producer thread only.
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

  // Consumer thread only.
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
  // Producer, consumer and ring each start on a separate cache line.
  alignas(64) std::atomic<std::size_t> end_{0};
  std::size_t first_seen_ = 0;
  alignas(64) std::atomic<std::size_t> first_{0};
  std::size_t end_seen_ = 0;
  alignas(64) std::array<Item, capacity> ring_{};
};

}  // namespace stallscope::reactor
