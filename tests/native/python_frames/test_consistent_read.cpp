#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <vector>

#include "python_frames/consistent_read.hpp"

namespace stallscope::python_frames {
namespace {

std::uint64_t address_of(const void* place) { return reinterpret_cast<std::uint64_t>(place); }

}  // namespace

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

}  // namespace stallscope::python_frames
