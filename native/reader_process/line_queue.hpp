// Lines of text in memory that a helper process and the collector share. The helper writes whole
// lines, the collector takes them and checks the positions, because the helper parses untrusted
// data. Costs a copy and no system call.
//
//   channel->lines.put(waiting);                   // helper
//   if (!channel->lines.take(text)) end_helper();  // collector
#pragma once

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string>

namespace stallscope::reader_process {

class line_queue {
 public:
  // Writes as many whole lines as there is room for, and removes them from `lines`.
  void put(std::string& lines) noexcept;
  // Appends the lines that the helper has written. Returns false if its positions are invalid.
  bool take(std::string& text);
  [[nodiscard]] bool half_full() const noexcept {
    return head_.load(std::memory_order_relaxed) - tail_.load(std::memory_order_relaxed) >
           text_bytes / 2;
  }

 private:
  static constexpr std::size_t text_bytes = std::size_t{4} << 20U;

  // Positions count up; the index is the position modulo the size.
  std::atomic<std::uint64_t> head_ = 0;
  std::atomic<std::uint64_t> tail_ = 0;
  std::array<char, text_bytes> text_;
};

}  // namespace stallscope::reader_process
