#include <doctest/doctest.h>

#include <array>

#include "perf_events/ring_view.hpp"

using namespace stallscope;
using namespace stallscope::perf_events;

namespace {

struct plain_ring {
  std::uint64_t head = 0;
  std::uint64_t tail = 0;
  alignas(8) std::array<std::byte, 64> data{};
  ring_view view{&head, &tail, data};

  void put(std::uint64_t word) {
    std::memcpy(data.data() + head % data.size(), &word, sizeof word);
    head += sizeof word;
  }
};

std::uint64_t header(std::uint32_t type, std::uint16_t misc, std::uint16_t size) {
  const perf_event_header value{type, misc, size};
  std::uint64_t word = 0;
  std::memcpy(&word, &value, sizeof word);
  return word;
}

}  // namespace

TEST_CASE("a record's fields are read across the end of the ring") {
  plain_ring ring;
  ring.head = 48;  // two words are left before the end
  ring.put(header(PERF_RECORD_FORK, 7, 32));
  ring.put(0x0000'0002'0000'0001);
  ring.put(0x0000'0004'0000'0003);
  ring.put(0x1122'3344'5566'7788);
  const record_view record{ring.view, 48};
  CHECK(record.type() == PERF_RECORD_FORK);
  CHECK(record.misc() == 7);
  CHECK(record.size() == 32);
  CHECK(record.end() == 80);
  CHECK(record.u32(8) == 1);
  CHECK(record.u32(12) == 2);
  CHECK(record.u32(16) == 3);
  CHECK(record.u32(20) == 4);
  CHECK(record.u64(24) == 0x1122'3344'5566'7788);
}

TEST_CASE("a range that wraps has two pieces") {
  plain_ring ring;
  SUBCASE("a record that does not wrap") {
    const auto pieces = ring.view.pieces(8, 24);
    CHECK(pieces[0].data() == ring.data.data() + 8);
    CHECK(pieces[0].size() == 16);
    CHECK(pieces[1].empty());
  }
  SUBCASE("two where it wraps") {
    const auto pieces = ring.view.pieces(56, 80);
    CHECK(pieces[0].size() == 8);
    CHECK(pieces[1].data() == ring.data.data());
    CHECK(pieces[1].size() == 16);
  }
  SUBCASE("a record that ends at the end of the ring") {
    const auto pieces = ring.view.pieces(40, 64);
    CHECK(pieces[0].size() == 24);
    CHECK(pieces[1].empty());
  }
  SUBCASE("the whole ring") {
    const auto pieces = ring.view.pieces(72, 136);
    CHECK(pieces[0].size() == 56);
    CHECK(pieces[1].size() == 8);
  }
}

TEST_CASE("releasing moves the tail that the producer sees") {
  plain_ring ring;
  ring.put(1);
  CHECK(ring.view.head() == 8);
  ring.view.release(8);
  CHECK(ring.tail == 8);
}
