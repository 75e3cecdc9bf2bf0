// Samples passed on from a ring in plain memory.
#include "collect/runtime_forwarder.hpp"

#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include <array>
#include <bit>
#include <cstring>
#include <memory>
#include <vector>

#include "collect/copied_stack.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

constexpr std::uint64_t room = 256;
constexpr std::size_t ring_words = 1024;

// A ring to which samples with copied stacks are written at the head; the time is their number.
struct sampled_ring {
  void add_sample() {
    const auto mask = unwind::perf_mask(this_architecture());
    const auto begin = head;
    for (const std::uint64_t field : {0ULL, 1ULL, 0ULL, 9ULL << 32U | 7ULL, ++samples, 0ULL, 1ULL,
                                      0ULL, std::uint64_t{PERF_SAMPLE_REGS_ABI_64} + 0ULL})
      add(field);
    for (int i = 0; i < std::popcount(mask); ++i) add(0x7000'0000'0000);
    add(room);
    for (std::uint64_t i = 0; i < room / 8; ++i) add(i);
    add(room);
    const perf_event_header header{PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
                                   static_cast<std::uint16_t>(head - begin)};
    std::memcpy(&words.at(begin / 8 % ring_words), &header, sizeof header);
  }
  void add(std::uint64_t word) {
    words.at(head / 8 % ring_words) = word;
    head += 8;
  }
  perf_events::ring_view view() { return {&head, &tail, std::as_writable_bytes(std::span{words})}; }

  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  unsigned long long samples = 0;
  std::array<std::uint64_t, ring_words> words{};
};

// Forwards into one slot and keeps the times.
struct receiver {
  explicit receiver(sampled_ring& ring)
      : forwarder{
            ring.view(),
            {[](const perf_events::record_view&) { return true; }, [this] { return slot.get(); },
             [this] { times.push_back(slot->time_ns); }, [](pid_t) {}, ends.get()}} {}

  std::unique_ptr<managed_frames::stack_ends> ends = std::make_unique<managed_frames::stack_ends>();
  std::unique_ptr<managed_frames::sample_slot> slot =
      std::make_unique<managed_frames::sample_slot>();
  std::vector<std::uint64_t> times;
  runtime_forwarder forwarder;
};

}  // namespace

TEST_CASE("every sample is passed on once, with its stack") {
  sampled_ring ring;
  receiver to{ring};
  ring.add_sample();
  to.forwarder.forward();
  ring.add_sample();
  to.forwarder.forward();
  to.forwarder.forward();
  CHECK(to.times == std::vector<std::uint64_t>{1, 2});
  CHECK(to.slot->stack_bytes == room);
  CHECK(to.slot->stack[8] == std::byte{1});
  CHECK(to.forwarder.newest_ns() == 2);
}

TEST_CASE("samples that the drain has released are passed on until they are overwritten") {
  sampled_ring ring;
  receiver to{ring};
  ring.add_sample();
  ring.add_sample();
  ring.tail = ring.head;
  to.forwarder.forward();
  CHECK(to.times == std::vector<std::uint64_t>{1, 2});
}

TEST_CASE("samples that may have been overwritten are left out") {
  sampled_ring ring;
  receiver to{ring};
  ring.add_sample();
  const auto record_bytes = ring.head;
  const auto in_ring = ring_words * 8 / record_bytes;
  for (std::uint64_t i = 1; i < in_ring; ++i) ring.add_sample();
  ring.tail = ring.head;
  ring.add_sample();
  to.forwarder.forward();
  CHECK(to.times == std::vector<std::uint64_t>{ring.samples});
}
