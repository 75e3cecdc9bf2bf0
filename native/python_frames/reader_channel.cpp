#include "python_frames/reader_channel.hpp"

namespace stallscope::python_frames {
bool reader_channel::put(const sample_notice& notice) noexcept {
  const auto head = notice_head_.load(std::memory_order_relaxed);
  if (head - notice_tail_.load(std::memory_order_acquire) >= max_notices) return false;
  notices_.at(head % max_notices) = notice;
  notice_head_.store(head + 1);
  return true;
}

void reader_channel::request_stop() noexcept {
  activity_.stop.store(true);
  wake();
}

read_counts reader_channel::counts() const noexcept {
  read_counts counts;
  for (std::size_t i = 0; i < counts_.size(); ++i) counts.field(i) = counts_.at(i).load();
  return counts;
}

std::optional<sample_notice> reader_channel::take() noexcept {
  const auto tail = notice_tail_.load(std::memory_order_relaxed);
  if (tail == notice_head_.load(std::memory_order_acquire)) return std::nullopt;
  const auto notice = notices_.at(tail % max_notices);
  notice_tail_.store(tail + 1, std::memory_order_release);
  return notice;
}

void reader_channel::wait(std::chrono::milliseconds limit) noexcept {
  sleep_.wait(limit, [this] { return notice_tail_.load() == notice_head_.load() && !stopped(); });
}

void reader_channel::publish(const read_counts& counts, bool reads_any) noexcept {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_.at(i).store(counts.field(i));
  reads_any_.store(reads_any);
}

}  // namespace stallscope::python_frames
