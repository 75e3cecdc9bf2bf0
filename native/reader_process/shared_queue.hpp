// A queue in memory that two processes share, with one writer and one reader. It holds plain
// values; put() and take() cost some nanoseconds and no system call. The reader must check values
// from a process that it does not trust.
//
//   if (!queue->put(value)) ++dropped;       // writer
//   while (const auto value = queue->take()) // reader
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace stallscope::reader_process {

template <class T, std::size_t size>
class shared_queue {
 public:
  static_assert(std::is_trivially_copyable_v<T>);
  static_assert((size & (size - 1)) == 0, "positions wrap at 2^32");

  // Returns false if the queue is full.
  bool put(const T& value) noexcept {
    const auto head = head_.load(std::memory_order_relaxed);
    if (head - tail_.load(std::memory_order_acquire) >= size) return false;
    values_.at(head % size) = value;
    head_.store(head + 1);
    return true;
  }
  std::optional<T> take() noexcept {
    const auto tail = tail_.load(std::memory_order_relaxed);
    if (tail == head_.load(std::memory_order_acquire)) return std::nullopt;
    const T value = values_.at(tail % size);
    tail_.store(tail + 1, std::memory_order_release);
    return value;
  }
  [[nodiscard]] bool empty() const noexcept { return tail_.load() == head_.load(); }

 private:
  // Positions count up; the index is the position modulo the size.
  std::atomic<std::uint32_t> head_ = 0;
  std::atomic<std::uint32_t> tail_ = 0;
  std::array<T, size> values_{};
};

}  // namespace stallscope::reader_process
