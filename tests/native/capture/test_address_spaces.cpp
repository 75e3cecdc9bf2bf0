// Mappings that overlap, fork and vanish.
#include "capture/address_spaces.hpp"

#include <doctest/doctest.h>

#include <random>
#include <vector>

using namespace stallscope::capture;

namespace {

// The object mapped at an address, or -1.
std::int64_t object_at(const address_spaces& spaces, std::uint32_t space, std::uint64_t address) {
  const auto* mapping = spaces.at(space).find(address);
  return mapping == nullptr ? -1 : static_cast<std::int64_t>(mapping->second.object);
}

}  // namespace

TEST_CASE("a new mapping replaces what it covers and leaves the rest") {
  memory_budget budget(1U << 20U);
  address_spaces spaces(budget, 1000);
  spaces.map(1, {100, {200, 1000, 1}});
  spaces.map(1, {120, {140, 0, 2}});
  CHECK(object_at(spaces, 1, 99) == -1);
  CHECK(object_at(spaces, 1, 119) == 1);
  CHECK(object_at(spaces, 1, 120) == 2);
  CHECK(object_at(spaces, 1, 140) == 1);
  CHECK(spaces.at(1).find(140)->second.page_offset == 1040);
  CHECK(object_at(spaces, 1, 200) == -1);
  spaces.map(1, {90, {300, 0, 3}});
  CHECK(spaces.at(1).ranges.size() == 1);
}

TEST_CASE("any sequence of mappings equals a byte-by-byte model") {
  std::mt19937 random(1);
  for (int round = 0; round < 200; ++round) {
    memory_budget budget(1U << 20U);
    address_spaces spaces(budget, 1000);
    std::vector<std::int64_t> painted(64, -1);
    for (std::uint32_t object = 0; object < 12; ++object) {
      const std::uint64_t start = random() % 64;
      const std::uint64_t end = start + random() % (65 - start);
      spaces.map(1, {start, {end, start, object}});
      std::fill(painted.begin() + static_cast<std::ptrdiff_t>(start),
                painted.begin() + static_cast<std::ptrdiff_t>(end), object);
    }
    for (std::uint64_t address = 0; address < 64; ++address) {
      const auto* mapping = spaces.at(1).find(address);
      REQUIRE(object_at(spaces, 1, address) == painted[address]);
      // The offset in the file follows the address through every cut.
      REQUIRE((mapping == nullptr || mapping->second.page_offset == mapping->first));
    }
  }
}

TEST_CASE("a forked process has its parent's mappings until either changes") {
  memory_budget budget(1U << 20U);
  address_spaces spaces(budget, 1000);
  spaces.map(1, {100, {200, 0, 1}});
  spaces.fork(1, 2);
  CHECK(object_at(spaces, 2, 150) == 1);
  CHECK(spaces.at(1).version == spaces.at(2).version);
  spaces.map(2, {100, {200, 0, 7}});
  CHECK(object_at(spaces, 1, 150) == 1);
  CHECK(object_at(spaces, 2, 150) == 7);
  CHECK(spaces.at(1).version != spaces.at(2).version);
  spaces.clear(1);
  CHECK(object_at(spaces, 1, 150) == -1);
  CHECK(object_at(spaces, 2, 150) == 7);
}

TEST_CASE("copies of forked mappings are bounded") {
  memory_budget budget(1U << 20U);
  address_spaces spaces(budget, 5);
  spaces.map(1, {0, {10, 0, 1}});
  spaces.map(1, {20, {30, 0, 1}});
  const auto fork_and_change = [&] {
    spaces.fork(1, 2);
    spaces.map(2, {40, {50, 0, 1}});
  };
  fork_and_change();
  fork_and_change();
  CHECK_THROWS_AS(fork_and_change(), limit_exceeded);
}
