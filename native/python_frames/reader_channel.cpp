#include "python_frames/reader_channel.hpp"

#include <linux/futex.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <ctime>

namespace stallscope::python_frames {
namespace {

// The word is in memory that two processes share.
void wake_futex(std::atomic<std::uint32_t>& word) noexcept {
  ::syscall(SYS_futex, &word, FUTEX_WAKE, 1, nullptr, nullptr, 0);
}

void wait_on_futex(std::atomic<std::uint32_t>& word, std::uint32_t value,
                   std::chrono::milliseconds limit) noexcept {
  const timespec timeout{limit.count() / 1000, limit.count() % 1000 * 1'000'000};
  ::syscall(SYS_futex, &word, FUTEX_WAIT, value, &timeout, nullptr, 0);
}

}  // namespace

bool reader_channel::put(const sample_notice& notice) noexcept {
  const auto head = notice_head_.load(std::memory_order_relaxed);
  if (head - notice_tail_.load(std::memory_order_acquire) >= max_notices) return false;
  notices_.at(head % max_notices) = notice;
  notice_head_.store(head + 1);
  return true;
}

void reader_channel::wake() noexcept {
  if (asleep_.exchange(0) != 0) wake_futex(asleep_);
}

void reader_channel::request_stop() noexcept {
  activity_.stop.store(true);
  wake();
}

bool reader_channel::take_text(std::string& text) {
  const auto tail = text_tail_.load(std::memory_order_relaxed);
  const auto head = text_head_.load(std::memory_order_acquire);
  if (head - tail > text_bytes) return false;
  const auto size = static_cast<std::size_t>(head - tail);
  const auto begin = static_cast<std::size_t>(tail % text_bytes);
  const auto first = std::min(size, text_bytes - begin);
  text.append(text_.data() + begin, first);
  text.append(text_.data(), size - first);
  text_tail_.store(head, std::memory_order_release);
  return true;
}

bool reader_channel::half_full() const noexcept {
  return text_head_.load(std::memory_order_relaxed) - text_tail_.load(std::memory_order_relaxed) >
         text_bytes / 2;
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
  asleep_.store(1);
  const bool empty = notice_tail_.load() == notice_head_.load();
  if (empty && !stopped()) wait_on_futex(asleep_, 1, limit);
  asleep_.store(0);
}

void reader_channel::put_lines(std::string& lines) noexcept {
  const auto head = text_head_.load(std::memory_order_relaxed);
  const auto room = text_bytes - (head - text_tail_.load(std::memory_order_acquire));
  std::size_t size = lines.size();
  if (size > room) {
    const auto end = lines.rfind('\n', static_cast<std::size_t>(room) - (room == 0 ? 0 : 1));
    size = room == 0 || end == std::string::npos ? 0 : end + 1;
  }
  if (size == 0) return;
  const auto begin = static_cast<std::size_t>(head % text_bytes);
  const auto first = std::min(size, text_bytes - begin);
  std::memcpy(text_.data() + begin, lines.data(), first);
  std::memcpy(text_.data(), lines.data() + first, size - first);
  text_head_.store(head + size, std::memory_order_release);
  lines.erase(0, size);
}

void reader_channel::publish(const read_counts& counts, bool reads_any) noexcept {
  for (std::size_t i = 0; i < counts_.size(); ++i) counts_.at(i).store(counts.field(i));
  reads_any_.store(reads_any);
}

}  // namespace stallscope::python_frames
