// What the collector and a helper process share: samples to read, lines of python.jsonl, and what
// the helper does. Notices and lines are queues in shared memory with a single writer and a single
// reader each. Sending a notice costs no system call while the helper is awake, else one futex
// call. The helper parses untrusted data, so the collector checks every position that it reads.
//
//   channel->put({pid, tid, time_ns});  channel->wake();      // collector
//   while (const auto notice = channel->take()) ...           // helper
#pragma once

#include <sys/types.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "python_frames/frames_text.hpp"
#include "reader_process/line_queue.hpp"
#include "reader_process/read_activity.hpp"
#include "reader_process/sleep_flag.hpp"

namespace stallscope::python_frames {

struct sample_notice {
  pid_t pid = 0;
  pid_t tid = 0;  // 0: the process ended or started another program
  std::uint64_t time_ns = 0;
};

class reader_channel {
 public:
  // The collector's side. Returns false if the queue is full.
  bool put(const sample_notice& notice) noexcept;
  void wake() noexcept { sleep_.wake(); }
  void request_stop() noexcept;
  // Appends the lines that the helper has written. Returns false if its positions are invalid.
  bool take_text(std::string& text) { return lines_.take(text); }
  [[nodiscard]] bool half_full() const noexcept { return lines_.half_full(); }
  [[nodiscard]] read_counts counts() const noexcept;
  [[nodiscard]] bool reads_any() const noexcept { return reads_any_.load(); }
  [[nodiscard]] const reader_process::read_activity& activity() const noexcept { return activity_; }

  // The helper's side.
  std::optional<sample_notice> take() noexcept;
  void wait(std::chrono::milliseconds limit) noexcept;
  [[nodiscard]] bool stopped() const noexcept { return activity_.stop.load(); }
  // Writes as many whole lines as there is room for, and removes them from `lines`.
  void put_lines(std::string& lines) noexcept { lines_.put(lines); }
  void publish(const read_counts& counts, bool reads_any) noexcept;
  [[nodiscard]] reader_process::read_activity& activity() noexcept { return activity_; }

 private:
  static constexpr std::size_t max_notices = 4096;

  // Positions count up; the index is the position modulo the size.
  std::atomic<std::uint32_t> notice_head_ = 0;
  std::atomic<std::uint32_t> notice_tail_ = 0;
  reader_process::sleep_flag sleep_;
  std::atomic<bool> reads_any_ = false;
  std::array<std::atomic<std::uint64_t>, read_counts::fields> counts_{};
  reader_process::read_activity activity_;
  std::array<sample_notice, max_notices> notices_;
  reader_process::line_queue lines_;
};

}  // namespace stallscope::python_frames
