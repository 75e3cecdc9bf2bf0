#include "managed_frames/sample_channel.hpp"

namespace stallscope::managed_frames {

sample_slot* sample_channel::next() noexcept {
  const auto head = head_.load(std::memory_order_relaxed);
  if (head - tail_.load(std::memory_order_acquire) >= max_slots) return nullptr;
  return &slots_.at(head % max_slots);
}

const sample_slot* sample_channel::front() const noexcept {
  const auto tail = tail_.load(std::memory_order_relaxed);
  if (tail == head_.load(std::memory_order_acquire)) return nullptr;
  return &slots_.at(tail % max_slots);
}

void sample_channel::wait(std::chrono::milliseconds limit) noexcept {
  sleep_.wait(limit, [this] { return tail_.load() == head_.load() && !stopped(); });
}

}  // namespace stallscope::managed_frames
