// Reads one page of the kernel's trace ring buffer, as trace_pipe_raw returns it. Costs about 5 ns
// per event. Any thread. The content may be damaged; nothing is read beyond the page.
//
//   walk_page(page, [](const ring_record& record) { ... }, [](std::uint64_t lost_ns) { ... });
//
// Layout: include/linux/ring_buffer.h (enum ring_buffer_type) and kernel/trace/ring_buffer.c. A
// page begins with the time of its first event and the number of committed bytes. An event begins
// with 32 bits: 5 bits of type or length and 27 bits of time since the previous event.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace stallscope::block_trace {

inline constexpr std::uint64_t missed_bit = 1U << 31;  // events were lost before this page
inline constexpr std::uint64_t committed_mask = (1U << 20) - 1;
inline constexpr std::uint64_t stamp_mask =
    (std::uint64_t{1} << 59) - 1;  // bits of an absolute time
inline constexpr std::size_t page_head_bytes = 16;
inline constexpr std::uint32_t padding = 29;      // rest of the page, or a discarded event
inline constexpr std::uint32_t time_extend = 30;  // time difference of more than 27 bits
inline constexpr std::uint32_t time_stamp = 31;   // absolute time; the highest 5 bits are kept
inline constexpr std::size_t common_bytes = 8;    // common fields: tracepoint number and task

// A record of the trace instance: time, tracepoint number, task and all its bytes.
struct ring_record {
  std::uint64_t t_ns = 0;
  std::uint16_t number = 0;
  std::int32_t pid = 0;
  std::size_t begin = 0;  // offset in the page
  std::span<const std::byte> content;
};

template <typename Value>
[[nodiscard]] Value value_at(std::span<const std::byte> bytes, std::size_t at) noexcept {
  Value value{};
  std::memcpy(&value, bytes.data() + at, sizeof(Value));
  return value;
}

enum class page_step : std::uint8_t { record, broken, end };

// Reads a page from its first record to its last.
class page_reader {
 public:
  explicit page_reader(std::span<const std::byte> page) noexcept : page_(page) {
    if (page.size() < page_head_bytes) {
      return;
    }
    t_ns_ = value_at<std::uint64_t>(page, 0);
    const auto commit = value_at<std::uint64_t>(page, 8);
    end_ = page_head_bytes + (commit & committed_mask);
    lost_before_ = (commit & missed_bit) != 0 || end_ > page.size();
    end_ = end_ > page.size() ? 0 : end_;
  }

  // True if the kernel lost events before this page, or the page header is invalid.
  [[nodiscard]] bool lost_before() const noexcept { return lost_before_; }
  [[nodiscard]] std::uint64_t t_ns() const noexcept { return t_ns_; }

  // Reads the next record. Returns `broken` once if the rest of the page is invalid.
  [[nodiscard]] page_step next(ring_record& record) noexcept {
    while (at_ + 8 <= end_) {
      const auto word = value_at<std::uint32_t>(page_, at_);
      const auto more = value_at<std::uint32_t>(page_, at_ + 4);
      const std::uint32_t kind = word & 31;
      const std::uint64_t delta = word >> 5;
      if (kind == padding && delta == 0) {
        break;
      }
      if (kind < padding) {
        t_ns_ += delta;
        return record_at(record, kind, more);
      }
      skip(kind, delta, more);
    }
    return page_step::end;
  }

 private:
  void skip(std::uint32_t kind, std::uint64_t delta, std::uint64_t more) noexcept {
    if (kind == padding) {
      t_ns_ += delta;
      at_ += 4 + more;
      return;
    }
    const std::uint64_t whole = (more << 27) + delta;
    t_ns_ = kind == time_extend ? t_ns_ + whole : (t_ns_ & ~stamp_mask) | whole;
    at_ += 8;
  }

  [[nodiscard]] page_step record_at(ring_record& record, std::uint32_t kind,
                                    std::size_t more) noexcept {
    const std::size_t begin = kind == 0 ? at_ + 8 : at_ + 4;
    const std::size_t size = kind == 0 ? more - 4 : std::size_t{4} * kind;
    // A length smaller than its own field wraps around and exceeds any page.
    if (size < common_bytes || size > page_.size() || begin + size > end_) {
      end_ = 0;
      return page_step::broken;
    }
    at_ = begin + size;
    record.t_ns = t_ns_;
    record.content = page_.subspan(begin, size);
    record.begin = begin;
    record.number = value_at<std::uint16_t>(record.content, 0);
    record.pid = value_at<std::int32_t>(record.content, 4);
    return page_step::record;
  }

  std::span<const std::byte> page_;
  std::size_t at_ = page_head_bytes;
  std::size_t end_ = 0;
  std::uint64_t t_ns_ = 0;
  bool lost_before_ = false;
};

// Calls take(record) for every record of a page, and lost(t_ns) if events were lost.
template <typename Take, typename Lost>
void walk_page(std::span<const std::byte> page, Take&& take, Lost&& lost) {
  page_reader reader(page);
  if (reader.lost_before()) {
    lost(reader.t_ns());
  }
  ring_record record;
  page_step step = page_step::end;
  while ((step = reader.next(record)) == page_step::record) {
    take(record);
  }
  if (step == page_step::broken) {
    lost(reader.t_ns());
  }
}

}  // namespace stallscope::block_trace
