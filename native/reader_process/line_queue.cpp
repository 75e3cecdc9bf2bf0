#include "reader_process/line_queue.hpp"

#include <algorithm>
#include <cstring>

namespace stallscope::reader_process {

bool line_queue::take(std::string& text) {
  const auto tail = tail_.load(std::memory_order_relaxed);
  const auto head = head_.load(std::memory_order_acquire);
  if (head - tail > text_bytes) return false;
  const auto size = static_cast<std::size_t>(head - tail);
  const auto begin = static_cast<std::size_t>(tail % text_bytes);
  const auto first = std::min(size, text_bytes - begin);
  text.append(text_.data() + begin, first);
  text.append(text_.data(), size - first);
  tail_.store(head, std::memory_order_release);
  return true;
}

void line_queue::put(std::string& lines) noexcept {
  const auto head = head_.load(std::memory_order_relaxed);
  const auto room = text_bytes - (head - tail_.load(std::memory_order_acquire));
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
  head_.store(head + size, std::memory_order_release);
  lines.erase(0, size);
}

}  // namespace stallscope::reader_process
