#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include <cstring>

#include "collect/copied_sample.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

constexpr auto kernel = static_cast<std::uint64_t>(PERF_CONTEXT_KERNEL);
constexpr auto user = static_cast<std::uint64_t>(PERF_CONTEXT_USER);

std::vector<std::byte> bytes_of(const std::vector<std::uint64_t>& words) {
  std::vector<std::byte> bytes(words.size() * sizeof(std::uint64_t));
  if (!bytes.empty()) std::memcpy(bytes.data(), words.data(), bytes.size());
  return bytes;
}

// Header, id, ip, pid and tid, time, cpu, period; the chain; two registers; 16 bytes of stack of
// which 8 were there.
std::vector<std::uint64_t> good_sample() {
  return {0, 1, 2, 77, 3, 4, 5, 5, kernel, 0x10, user, 0x20, 0x30, 2, 0xA, 0xB, 16, 0xC, 0, 8};
}

std::vector<unwind::frame> frames(std::initializer_list<std::uint64_t> addresses) {
  std::vector<unwind::frame> made;
  for (const auto address : addresses) made.push_back({address, made.empty()});
  return made;
}

bool covered(std::vector<std::uint64_t> chain, std::initializer_list<std::uint64_t> unwound,
             bool complete) {
  return covers(chain, frames(unwound), complete);
}

}  // namespace

TEST_CASE("user chain, registers and stack are parsed from a sample record") {
  const auto sample = parse_copied_sample(bytes_of(good_sample()), 2);
  REQUIRE(sample);
  CHECK(sample->pid == 77);
  CHECK(sample->user_chain == std::vector<std::uint64_t>{0x20, 0x30});
  CHECK(sample->registers_abi == PERF_SAMPLE_REGS_ABI_64);
  CHECK(sample->registers == std::vector<std::uint64_t>{0xA, 0xB});
  CHECK(sample->stack.size() == 8);
}

TEST_CASE("a kernel thread's sample has neither registers nor stack") {
  const auto sample =
      parse_copied_sample(bytes_of({0, 1, 2, 77, 3, 4, 5, 2, kernel, 0x10, 0, 0}), 2);
  REQUIRE(sample);
  CHECK(sample->user_chain.empty());
  CHECK(sample->registers.empty());
  CHECK(sample->stack.empty());
}

TEST_CASE("a record with sizes out of range is rejected") {
  const auto good = good_sample();
  for (std::size_t length = 0; length < good.size(); ++length) {
    const std::vector<std::uint64_t> cut(good.begin(),
                                         good.begin() + static_cast<std::ptrdiff_t>(length));
    CHECK_FALSE(parse_copied_sample(bytes_of(cut), 2));
  }
  for (const std::size_t field : {7U, 16U}) {
    auto huge = good;
    huge[field] = ~std::uint64_t{0};
    CHECK_FALSE(parse_copied_sample(bytes_of(huge), 2));
  }
  auto more_than_room = good;
  more_than_room.back() = 4096;
  CHECK(parse_copied_sample(bytes_of(more_than_room), 2)->stack.size() == 16);
}

TEST_CASE("a chain without the leaf's caller or the library's entry counts as whole") {
  CHECK(covered({1, 2, 3, 4}, {1, 2, 3, 4, 5, 6}, true));
  CHECK(covered({1, 3, 4}, {1, 2, 3, 4, 5, 6}, true));
  CHECK(covered({1, 2, 3, 9, 4}, {1, 2, 3, 4, 5, 6}, true));
  CHECK(covered({1}, {1}, true));
  CHECK(covered({1, 2}, {1, 2, 3, 4}, true));
  CHECK(covered({1, 2, 3}, {1, 2, 3}, false));
}

TEST_CASE("a chain that breaks off does not count as whole") {
  CHECK_FALSE(covered({1}, {1, 2, 3, 4, 5, 6}, true));
  CHECK_FALSE(covered({1, 2}, {1, 2, 3, 4, 5, 6}, true));
  CHECK_FALSE(covered({1, 4}, {1, 2, 3, 4, 5, 6}, true));
  CHECK_FALSE(covered({1}, {1, 2, 3, 4}, true));
  CHECK_FALSE(covered({1, 2}, {1, 2, 3}, false));
  CHECK_FALSE(covered({}, {1, 2, 3, 4}, true));
}
