#include "requests/ring_reader.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <cstring>
#include <new>

namespace stallscope::requests {
namespace {

constexpr std::uint64_t capacity = stallscope_request_records;
// A thread that was preempted within a mark completes it later; one that was killed never does.
constexpr std::uint64_t max_incomplete_ns = 200'000'000;
constexpr std::uint64_t max_lost = std::uint64_t{1} << 48U;  // sums of rings do not overflow
constexpr std::size_t words_of_record = sizeof(stallscope_request_record) / 8;

static_assert(sizeof(stallscope_request_record) == 64);
static_assert(sizeof(stallscope_request_ring) == stallscope_request_offset);

std::atomic_ref<std::uint64_t> word_at(std::byte* memory, std::size_t offset) noexcept {
  return std::atomic_ref<std::uint64_t>{*reinterpret_cast<std::uint64_t*>(memory + offset)};
}

std::atomic_ref<std::uint64_t> written(std::byte* memory) noexcept {
  return word_at(memory, offsetof(stallscope_request_ring, written));
}

}  // namespace

bool is_ring(std::span<std::byte, ring_bytes> memory) noexcept {
  stallscope_request_ring head{};
  std::memcpy(&head, memory.data(), offsetof(stallscope_request_ring, padding));
  return std::memcmp(static_cast<const char*>(head.magic), "stsreq1", 8) == 0 &&
         head.records == capacity && head.record_bytes == sizeof(stallscope_request_record);
}

ring_reader::ring_reader(std::span<std::byte, ring_bytes> memory, std::uint64_t since_ns) noexcept
    : memory_{memory.data()}, since_ns_{since_ns} {
  // Marks that the program wrote for another recorder are older than `since_ns`.
  const auto count = written(memory_).load(std::memory_order_acquire);
  next_ = count - std::min(count, capacity);
}

void ring_reader::listen_until(std::uint64_t until_ns) noexcept {
  auto word = word_at(memory_, offsetof(stallscope_request_ring, listen_until_ns));
  if (word.load(std::memory_order_relaxed) < until_ns)
    word.store(until_ns, std::memory_order_relaxed);
}

void ring_reader::lose(std::uint64_t marks) noexcept {
  lost_ = std::min(max_lost, lost_ + std::min(marks, max_lost - lost_));
}

ring_reader::slot_state ring_reader::copy(std::uint64_t number,
                                          stallscope_request_record& record) const noexcept {
  const std::size_t offset =
      stallscope_request_offset + (number & (capacity - 1)) * sizeof(stallscope_request_record);
  const auto sequence = word_at(memory_, offset).load(std::memory_order_acquire);
  if (sequence != number + 1)
    return sequence > number + 1 ? slot_state::overwritten : slot_state::incomplete;
  std::array<std::uint64_t, words_of_record> words{};
  for (std::size_t i = 0; i < words_of_record; ++i)
    words[i] = word_at(memory_, offset + 8 * i).load(std::memory_order_relaxed);
  std::atomic_thread_fence(std::memory_order_acquire);
  if (word_at(memory_, offset).load(std::memory_order_relaxed) != number + 1)
    return slot_state::overwritten;
  record = std::bit_cast<stallscope_request_record>(words);
  return slot_state::complete;
}

void ring_reader::pass_on(const stallscope_request_record& record, const take_mark& take) {
  if (record.time_ns < since_ns_) return;
  if (record.action < stallscope_request_begins || record.action > stallscope_request_resumes) {
    ++invalid_;
    return;
  }
  request_mark mark{record.time_ns, record.id, record.tid, static_cast<mark_action>(record.action)};
  mark.name_bytes = static_cast<std::uint8_t>(std::min<std::size_t>(record.name_bytes, 32));
  std::memcpy(mark.name.data(), static_cast<const char*>(record.name), mark.name_bytes);
  take(mark);
}

void ring_reader::read(std::uint64_t now_ns, const take_mark& take) {
  const auto count = written(memory_).load(std::memory_order_acquire);
  if (count < next_) next_ = count;  // the program has overwritten its own counter
  if (count - next_ > capacity) {
    lose(count - next_ - capacity);
    next_ = count - capacity;
  }
  for (; next_ != count; ++next_) {
    stallscope_request_record record{};
    const auto state = copy(next_, record);
    if (state == slot_state::complete) {
      pass_on(record, take);
    } else if (state == slot_state::incomplete) {
      if (incomplete_since_ns_ == 0) incomplete_since_ns_ = now_ns;
      if (now_ns - incomplete_since_ns_ < max_incomplete_ns) return;
      lose(1);
    } else {
      lose(1);
    }
    incomplete_since_ns_ = 0;
  }
}

}  // namespace stallscope::requests
