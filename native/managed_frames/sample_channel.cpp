#include "managed_frames/sample_channel.hpp"

namespace stallscope::managed_frames {

sample_slot* sample_channel::next() noexcept {
  const auto head = head_.load(std::memory_order_relaxed);
  const auto waiting = head - tail_.load(std::memory_order_acquire);
  if (waiting >= max_slots) return nullptr;
  if (waiting == 0) first_.store(head, std::memory_order_relaxed);
  return &slots_.at(index_of(head));
}

const sample_slot* sample_channel::front() const noexcept {
  const auto tail = tail_.load(std::memory_order_relaxed);
  if (tail == head_.load(std::memory_order_acquire)) return nullptr;
  return &slots_.at(index_of(tail));
}

void sample_channel::wait(std::chrono::milliseconds limit) noexcept {
  sleep_.wait(limit, [this] { return tail_.load() == head_.load() && !stopped(); });
}

}  // namespace stallscope::managed_frames
