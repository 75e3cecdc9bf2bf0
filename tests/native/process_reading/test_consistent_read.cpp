#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "process_reading/consistent_read.hpp"

namespace stallscope::process_reading {
namespace {

std::uint64_t address_of(const void* place) { return reinterpret_cast<std::uint64_t>(place); }

}  // namespace

TEST_CASE("a value that is not within the bytes is zero") {
  std::array<std::byte, 10> bytes{};
  bytes.fill(std::byte{0xff});
  CHECK(value_at<std::uint64_t>(bytes, 2) == ~std::uint64_t{0});
  CHECK(value_at<std::uint64_t>(bytes, 3) == 0);
  CHECK(value_at<std::uint64_t>(bytes, 10) == 0);
  CHECK(value_at<std::uint64_t>(bytes, ~std::size_t{0}) == 0);
}

TEST_CASE("the second read shows changes since the first") {
  const process_memory memory{::getpid()};
  consistent_read reading{memory};
  std::vector<std::uint64_t> words(1000, 7);
  reading.begin();
  REQUIRE(reading.add_window({address_of(words.data()), address_of(words.data() + words.size())}));
  const auto first = reading.first(address_of(&words[10]), 8);
  REQUIRE(first.has_value());
  CHECK(value_at<std::uint64_t>(*first, 0) == 7);
  words[10] = 8;
  REQUIRE(reading.read_again());
  CHECK(value_at<std::uint64_t>(*first, 0) == 7);
  CHECK(value_at<std::uint64_t>(reading.second(address_of(&words[10]), 8), 0) == 8);
  CHECK(value_at<std::uint64_t>(reading.second(address_of(&words[11]), 8), 0) == 7);
}

TEST_CASE("addresses outside windows are read separately, even very many") {
  const process_memory memory{::getpid()};
  consistent_read reading{memory};
  std::vector<std::uint64_t> words(100'000);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = i;
  reading.begin();
  for (std::size_t i = words.size() - 1; i > 1000; i -= 997) {
    const auto bytes = reading.first(address_of(&words[i]), 8);
    REQUIRE(bytes.has_value());
    CHECK(value_at<std::uint64_t>(*bytes, 0) == i);
  }
  CHECK(reading.read_again());
}

TEST_CASE("windows that were used are known for the next read") {
  const process_memory memory{::getpid()};
  consistent_read reading{memory};
  alignas(4096) static std::array<std::byte, 8192> page;
  std::array<std::uint64_t, 4> words{1, 2, 3, 4};
  const auto start = address_of(page.data());
  reading.begin();
  REQUIRE(reading.add_window({address_of(&words[0]), address_of(&words[1])}));
  REQUIRE(reading.add_window({start, start + 5000}));
  REQUIRE(reading.first(address_of(&words[0]), 8).has_value());
  REQUIRE(reading.first(start + 16, 8).has_value());
  REQUIRE(reading.first(address_of(&words[2]), 8).has_value());
  REQUIRE(reading.add_window({start + 100, start + 200}));  // is contained
  const auto used = reading.used_windows(1, 8);
  REQUIRE(used.size() == 2);
  CHECK(used[0].begin == start);
  CHECK(used[0].end == start + 4096);
  CHECK(used[1].begin == address_of(&words[2]));
  CHECK(used[1].end == address_of(&words[3]));
  CHECK(reading.used_windows(1, 1).size() == 1);
}

TEST_CASE("further ranges are read with the second read") {
  const process_memory memory{::getpid()};
  consistent_read reading{memory};
  std::uint64_t value = 5;
  std::array<std::byte, 8> copy{};
  reading.begin();
  REQUIRE(reading.first(address_of(&value), 8).has_value());
  const memory_range further{address_of(&value), copy};
  REQUIRE(reading.read_again(std::span{&further, 1}));
  CHECK(value_at<std::uint64_t>(copy, 0) == 5);
  const memory_range unmapped{8, copy};
  CHECK_FALSE(reading.read_again(std::span{&unmapped, 1}));
}

TEST_CASE("unmapped memory is never returned") {
  const process_memory memory{::getpid()};
  consistent_read reading{memory};
  reading.begin();
  CHECK_FALSE(reading.first(8, 8).has_value());
  CHECK_FALSE(reading.first(~std::uint64_t{0} - 16, 8).has_value());
  CHECK_FALSE(reading.add_window({16, 8}));
  CHECK_FALSE(reading.add_window({address_of(&reading), ~std::uint64_t{0}}));
  CHECK(reading.second(8, 8).empty());
}

TEST_CASE("either all of many ranges are read or the read fails") {
  const process_memory memory{::getpid()};
  const std::uint64_t value = 42;
  std::vector<std::uint64_t> copies(200);
  std::vector<memory_range> ranges;
  for (auto& copy : copies)
    ranges.push_back({address_of(&value), std::as_writable_bytes(std::span{&copy, 1})});
  CHECK(memory.read(ranges));
  CHECK(copies == std::vector<std::uint64_t>(200, 42));
  ranges[150].address = 8;
  CHECK_FALSE(memory.read(ranges));
}

}  // namespace stallscope::process_reading
