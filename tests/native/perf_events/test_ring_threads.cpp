// A producer thread plays the kernel: the consumer must see every record whole, in order.
#include <doctest/doctest.h>

#include <array>
#include <atomic>
#include <thread>

#include "perf_events/ring_view.hpp"

using namespace stallscope;
using namespace stallscope::perf_events;

namespace {

constexpr std::uint64_t record_count = 200'000;

struct shared_ring {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  alignas(8) std::array<std::byte, 4096> data{};
};

// Records of 16 to 64 bytes: a header, then words that all hold the record's number.
void produce(shared_ring& ring) {
  std::uint64_t head = 0;
  const auto put = [&](std::uint64_t word) {
    std::memcpy(ring.data.data() + head % ring.data.size(), &word, sizeof word);
    head += sizeof word;
  };
  for (std::uint64_t number = 0; number < record_count; ++number) {
    const auto words = 1 + number % 7;
    const auto size = static_cast<std::uint16_t>(8 + 8 * words);
    while (head + size - std::atomic_ref{ring.tail}.load(std::memory_order_acquire) >
           ring.data.size()) {
      std::this_thread::yield();
    }
    const perf_event_header header{PERF_RECORD_SAMPLE, 0, size};
    std::uint64_t word = 0;
    std::memcpy(&word, &header, sizeof word);
    put(word);
    for (std::uint64_t i = 0; i < words; ++i) put(number);
    std::atomic_ref{ring.head}.store(head, std::memory_order_release);
  }
}

}  // namespace

TEST_CASE("a reader and a producer on two threads") {
  shared_ring ring;
  const ring_view view{&ring.head, &ring.tail, ring.data};
  std::jthread producer{produce, std::ref(ring)};
  std::uint64_t number = 0;
  std::uint64_t wrong = 0;
  while (number < record_count) {
    const auto head = view.head();
    auto position = view.tail();
    if (position == head) std::this_thread::yield();
    while (position < head) {
      const record_view record{view, position};
      for (std::uint64_t at = 8; at < record.size(); at += 8)
        wrong += record.u64(at) == number ? 0 : 1;
      wrong += record.size() == 8 + 8 * (1 + number % 7) ? 0 : 1;
      ++number;
      position = record.end();
    }
    view.release(position);
  }
  CHECK(wrong == 0);
  CHECK(view.tail() == view.head());
}
