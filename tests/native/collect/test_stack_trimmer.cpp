// Shortening of copied stacks, on records in plain memory.
#include "collect/stack_trimmer.hpp"

#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include <bit>
#include <cstring>
#include <memory>

using namespace stallscope;
using namespace stallscope::collect;

namespace {

constexpr std::uint64_t sp = 0x7000'0000'0800;
constexpr pid_t tid = 9;
constexpr std::uint64_t ring_room = 4096;

// A ring with one sample: fields, an empty chain, registers with the stack pointer, a copied stack.
struct sample_ring {
  explicit sample_ring(std::uint64_t copied) {
    const auto mask = unwind::perf_mask(this_architecture());
    for (const std::uint64_t field : {0ULL, 1ULL, 0ULL, 9ULL << 32U | 7ULL, 5ULL, 0ULL, 1ULL, 0ULL,
                                      std::uint64_t{PERF_SAMPLE_REGS_ABI_64} + 0ULL})
      add(field);
    for (int i = 0; i < std::popcount(mask); ++i) add(sp);
    add(ring_room);
    for (std::uint64_t i = 0; i < ring_room / 8; ++i) add(i);
    add(copied);
    const perf_event_header header{PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
                                   static_cast<std::uint16_t>(head)};
    std::memcpy(words.data(), &header, sizeof header);
  }
  void add(std::uint64_t word) {
    words[head / 8] = word;
    head += 8;
  }
  perf_events::ring_view view() { return {&head, &tail, std::as_writable_bytes(std::span{words})}; }

  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  std::array<std::uint64_t, 1024> words{};
};

std::vector<std::uint64_t> joined(const std::vector<std::span<const std::byte>>& pieces) {
  std::vector<std::byte> bytes;
  for (const auto piece : pieces) bytes.insert(bytes.end(), piece.begin(), piece.end());
  std::vector<std::uint64_t> words(bytes.size() / 8);
  std::memcpy(words.data(), bytes.data(), words.size() * 8);
  return words;
}

}  // namespace

TEST_CASE("a copy is shortened to the end of the thread's stack and stays a valid record") {
  sample_ring ring{ring_room};
  const auto view = ring.view();
  const perf_events::record_view record{view, 0};
  const auto ends = std::make_unique<managed_frames::stack_ends>();
  ends->set(tid, sp + 0x800);
  stack_trimmer trimmer{*ends};
  const auto cut = trimmer.cut_of(record);
  REQUIRE(cut);
  CHECK(cut->kept == 0x800);
  const auto words = joined(trimmer.pieces(view, record, *cut));
  CHECK(words.size() * 8 == record.size() - (ring_room - 0x800));
  CHECK((words[0] >> 48U) == words.size() * 8);
  CHECK(words.back() == 0x800);
  CHECK(words[words.size() - 0x100 - 2] == 0x800);  // the size before the copy
  CHECK(words[words.size() - 0x100 - 1] == 0);
  CHECK(words[words.size() - 2] == 0xff);
  CHECK(words[3] == ring.words[3]);
}

TEST_CASE("records of threads without a known end, or with a small gain, are not shortened") {
  sample_ring ring{ring_room};
  const auto view = ring.view();
  const perf_events::record_view record{view, 0};
  const auto ends = std::make_unique<managed_frames::stack_ends>();
  stack_trimmer trimmer{*ends};
  CHECK_FALSE(trimmer.cut_of(record));
  ends->set(tid, sp - 0x800);  // below the stack pointer: of an earlier thread
  CHECK_FALSE(trimmer.cut_of(record));
  ends->set(tid, sp + 0x800 + 0x3000);
  CHECK_FALSE(trimmer.cut_of(record));
}

TEST_CASE("what the kernel could not copy is not written") {
  sample_ring ring{512};
  const auto view = ring.view();
  const auto ends = std::make_unique<managed_frames::stack_ends>();
  stack_trimmer trimmer{*ends};
  const auto cut = trimmer.cut_of(perf_events::record_view{view, 0});
  REQUIRE(cut);
  CHECK(cut->kept == 512);
}

TEST_CASE("a record with sizes out of range has no copied stack") {
  sample_ring ring{ring_room};
  const auto view = ring.view();
  const auto at = find_copied_stack(perf_events::record_view{view, 0})->room_at / 8;
  ring.words[at] = ring_room + 8;
  CHECK_FALSE(find_copied_stack(perf_events::record_view{view, 0}));
  ring.words[7] = ~std::uint64_t{0};  // the length of the chain
  CHECK_FALSE(find_copied_stack(perf_events::record_view{view, 0}));
}
