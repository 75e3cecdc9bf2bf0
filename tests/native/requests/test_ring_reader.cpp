#include "requests/ring_reader.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <memory>
#include <thread>
#include <vector>

using namespace stallscope::requests;

namespace {

struct alignas(4096) memory_of_ring {
  std::array<std::byte, ring_bytes> bytes{};
};

// A ring in private memory, to which the test writes as a program does, and with which it tampers.
class test_ring {
 public:
  test_ring() { write_head("stsreq1"); }

  void write_head(const char* magic) {
    auto& head = *ring();
    std::memcpy(static_cast<char*>(head.magic), magic, 8);
    head.records = stallscope_request_records;
    head.record_bytes = sizeof(stallscope_request_record);
  }
  stallscope_request_ring* ring() {
    return reinterpret_cast<stallscope_request_ring*>(memory_->bytes.data());
  }
  stallscope_request_record& record(std::uint64_t number) {
    auto* const first = reinterpret_cast<stallscope_request_record*>(memory_->bytes.data() +
                                                                     stallscope_request_offset);
    return first[number % stallscope_request_records];
  }
  std::span<std::byte, ring_bytes> memory() { return memory_->bytes; }

  void add(std::uint64_t id, std::uint64_t time_ns = 100, std::uint8_t action = 1) {
    const auto number = ring()->written++;
    auto& slot = record(number);
    slot.time_ns = time_ns;
    slot.id = id;
    slot.action = action;
    slot.name_bytes = 3;
    std::memcpy(static_cast<char*>(slot.name), "get", 3);
    slot.sequence = number + 1;
  }

 private:
  std::unique_ptr<memory_of_ring> memory_ = std::make_unique<memory_of_ring>();
};

std::vector<std::uint64_t> ids_of(ring_reader& reader, std::uint64_t now_ns = 1000) {
  std::vector<std::uint64_t> ids;
  reader.read(now_ns, [&ids](const request_mark& mark) { ids.push_back(mark.id); });
  return ids;
}

constexpr std::uint64_t second_ns = 1'000'000'000;

}  // namespace

TEST_CASE("marks are read once, in their order") {
  test_ring ring;
  ring_reader reader{ring.memory(), 0};
  ring.add(7);
  ring.add(8);
  CHECK(ids_of(reader) == std::vector<std::uint64_t>{7, 8});
  ring.add(9);
  CHECK(ids_of(reader) == std::vector<std::uint64_t>{9});
  CHECK(reader.lost() == 0);
}

TEST_CASE("a mark has its name, and marks before the recording are left out") {
  test_ring ring;
  ring.add(1, 50);
  ring.add(2, 500);
  ring_reader reader{ring.memory(), 100};
  std::string name;
  reader.read(1000, [&](const request_mark& mark) {
    CHECK(mark.id == 2);
    name.assign(mark.name.data(), mark.name_bytes);
  });
  CHECK(name == "get");
}

TEST_CASE("overwritten marks are counted as lost") {
  test_ring ring;
  ring_reader reader{ring.memory(), 0};
  for (std::uint64_t i = 0; i < stallscope_request_records + 10; ++i) ring.add(i);
  const auto ids = ids_of(reader);
  CHECK(ids.size() == stallscope_request_records);
  CHECK(ids.front() == 10);
  CHECK(reader.lost() == 10);
}

TEST_CASE("an incomplete mark is awaited, and lost if it stays incomplete") {
  test_ring ring;
  ring_reader reader{ring.memory(), 0};
  ring.add(1);
  ring.record(0).sequence = 0;
  ring.add(2);
  CHECK(ids_of(reader, second_ns).empty());
  SUBCASE("it is completed") {
    ring.record(0).sequence = 1;
    CHECK(ids_of(reader, second_ns + 1) == std::vector<std::uint64_t>{1, 2});
    CHECK(reader.lost() == 0);
  }
  SUBCASE("its thread was killed") {
    CHECK(ids_of(reader, 2 * second_ns) == std::vector<std::uint64_t>{2});
    CHECK(reader.lost() == 1);
  }
}

TEST_CASE("hostile counters end a pass") {
  test_ring ring;
  ring_reader reader{ring.memory(), 0};
  ring.add(1);
  ring.ring()->written = UINT64_MAX - 3;
  CHECK(ids_of(reader).size() <= stallscope_request_records);
  ring.ring()->written = 0;
  CHECK(ids_of(reader).empty());
  ring.add(5);
  CHECK(ids_of(reader) == std::vector<std::uint64_t>{5});
  CHECK(reader.lost() > 0);
}

TEST_CASE("unknown actions are counted, and the length of a name is limited") {
  test_ring ring;
  ring_reader reader{ring.memory(), 0};
  ring.add(1, 100, 77);
  ring.add(2);
  ring.record(1).name_bytes = 255;
  reader.read(1000, [](const request_mark& mark) { CHECK(mark.name_bytes == 32); });
  CHECK(reader.invalid() == 1);
}

TEST_CASE("memory of another format is not a ring") {
  test_ring ring;
  CHECK(is_ring(ring.memory()));
  ring.ring()->records = 7;
  CHECK_FALSE(is_ring(ring.memory()));
  ring.write_head("another");
  CHECK_FALSE(is_ring(ring.memory()));
}

TEST_CASE("a recorder does not shorten the time for which another one listens") {
  test_ring ring;
  ring_reader reader{ring.memory(), 0};
  reader.listen_until(500);
  reader.listen_until(300);
  CHECK(ring.ring()->listen_until_ns == 500);
}
