// A view of a perf ring buffer: the metadata page's head and tail, and the data. The kernel (or a
// thread in tests) produces and one thread consumes. No system calls or allocations; reading a word
// costs a mask and a load.
//
//   for (auto at = view.tail(); at < view.head();) {
//     const record_view record{view, at};
//     at = record.end();
//   }
#pragma once

#include <linux/perf_event.h>

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <span>

namespace stallscope::perf_events {

class ring_view {
 public:
  ring_view() noexcept = default;
  // The data's size must be a power of two.
  ring_view(std::uint64_t* head, std::uint64_t* tail, std::span<std::byte> data) noexcept
      : head_{head}, tail_{tail}, data_{data.data()}, size_{data.size()} {}

  // The end of the complete records: records before it may be read after this call.
  [[nodiscard]] std::uint64_t head() const noexcept {
    return std::atomic_ref{*head_}.load(std::memory_order_acquire);
  }
  [[nodiscard]] std::uint64_t tail() const noexcept {
    return std::atomic_ref{*tail_}.load(std::memory_order_relaxed);
  }
  // Releases the data before `position` to the producer.
  void release(std::uint64_t position) const noexcept {
    std::atomic_ref{*tail_}.store(position, std::memory_order_release);
  }

  [[nodiscard]] std::uint64_t word(std::uint64_t position) const noexcept {
    std::uint64_t value = 0;
    std::memcpy(&value, data_ + (position & (size_ - 1)), sizeof value);
    return value;
  }
  // The bytes of a range in two pieces; the second is empty unless the range wraps.
  [[nodiscard]] std::array<std::span<const std::byte>, 2> pieces(std::uint64_t begin,
                                                                 std::uint64_t end) const noexcept {
    const auto offset = static_cast<std::size_t>(begin & (size_ - 1));
    const auto length = static_cast<std::size_t>(end - begin);
    const std::size_t first = length < size_ - offset ? length : size_ - offset;
    return {std::span<const std::byte>{data_ + offset, first},
            std::span<const std::byte>{data_, length - first}};
  }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }

 private:
  std::uint64_t* head_ = nullptr;
  std::uint64_t* tail_ = nullptr;
  std::byte* data_ = nullptr;
  std::size_t size_ = 0;
};

// A record in a ring. Records and their words are aligned to 8 bytes, so a word never wraps.
class record_view {
 public:
  record_view(const ring_view& ring, std::uint64_t position) noexcept
      : ring_{&ring}, position_{position}, header_{ring.word(position)} {}

  [[nodiscard]] std::uint32_t type() const noexcept { return static_cast<std::uint32_t>(header_); }
  [[nodiscard]] std::uint16_t misc() const noexcept {
    return static_cast<std::uint16_t>(header_ >> 32U);
  }
  [[nodiscard]] std::uint16_t size() const noexcept {
    return static_cast<std::uint16_t>(header_ >> 48U);
  }
  [[nodiscard]] std::uint64_t position() const noexcept { return position_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return position_ + size(); }

  // 64 and 32 bits at an offset from the record's start.
  [[nodiscard]] std::uint64_t u64(std::uint64_t offset) const noexcept {
    return ring_->word(position_ + offset);
  }
  [[nodiscard]] std::uint32_t u32(std::uint64_t offset) const noexcept {
    const std::uint64_t word = ring_->word(position_ + (offset & ~7ULL));
    std::array<std::uint32_t, 2> halves{};
    std::memcpy(halves.data(), &word, sizeof word);
    return halves[(offset >> 2U) & 1U];
  }

 private:
  const ring_view* ring_;
  std::uint64_t position_;
  std::uint64_t header_;
};

// The fields of a sample as laid out by sample_fields.
struct sample_fields_view {
  explicit sample_fields_view(const record_view& record) noexcept
      : id{record.u64(8)},
        pid{static_cast<std::int32_t>(record.u32(24))},
        tid{static_cast<std::int32_t>(record.u32(28))},
        time_ns{record.u64(32)},
        period{record.u64(48)} {}
  std::uint64_t id;
  std::int32_t pid;
  std::int32_t tid;
  std::uint64_t time_ns;
  std::uint64_t period;
};

}  // namespace stallscope::perf_events
