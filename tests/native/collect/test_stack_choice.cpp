#include <doctest/doctest.h>

#include <bit>

#include "collect/stack_choice.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

constexpr std::uint64_t gib = std::uint64_t{1} << 30U;

perf_events::sampling copying(std::uint64_t frequency_hz, std::uint32_t stack_bytes) {
  perf_events::sampling how;
  how.frequency_hz = frequency_hz;
  return with_copies(how, stack_bytes);
}

}  // namespace

TEST_CASE("rings hold about a second of copies and at most a small share of the memory") {
  CHECK(ring_bytes_for({}, 2, 8 * gib) == std::size_t{2} << 20U);
  for (const std::uint64_t frequency : {99U, 999U, 4999U}) {
    const auto how = copying(frequency, 8192);
    const auto bytes = ring_bytes_for(how, 2, 64 * gib);
    CHECK(std::has_single_bit(bytes));
    CHECK(bytes >= bytes_per_second(how) / 2);
    CHECK(bytes <= std::max(std::size_t{2} << 20U, bytes_per_second(how)));
  }
  CHECK(ring_bytes_for(copying(25'000, 65'528), 2, 64 * gib) == std::size_t{64} << 20U);
  CHECK(ring_bytes_for(copying(999, 8192), 256, 8 * gib) == std::size_t{2} << 20U);
}

TEST_CASE("samples by a period have an unknown rate and still have rings for copies") {
  auto how = copying(999, 8192);
  how.period = 100'000;
  CHECK(bytes_per_second(how) == 0);
  CHECK(ring_bytes_for(how, 2, 64 * gib) > ring_bytes_for({}, 2, 64 * gib));
  CHECK_FALSE(space_warning(how, 2, 10, 0));
}

TEST_CASE("a warning appears only if the disk would fill before the end") {
  const auto how = copying(1000, 8192);
  const auto of_ten_seconds = 10 * 2 * bytes_per_second(how);
  CHECK_FALSE(space_warning(how, 2, 10, of_ten_seconds));
  const auto warned = space_warning(how, 2, 10, of_ten_seconds / 2 + 1);
  REQUIRE(warned);
  CHECK(warned->code == "little-disk-space");
  CHECK(warned->message.find("may last 5 s") != std::string::npos);
  CHECK_FALSE(space_warning(how, 2, 0, 0));  // no duration was requested
  CHECK_FALSE(space_warning({}, 2, 10, 0));  // nothing is copied
}

TEST_CASE("the chosen method is described in one clause") {
  CHECK(describe({stack_kind::frame_pointers, "requested", {}}, 8192) ==
        "by frame pointers: requested");
  CHECK(describe({stack_kind::copies, "requested", {}}, 8192) ==
        "copied (8 KiB per sample): requested");
  CHECK(describe({stack_kind::copies, "requested", {}}, 1000) ==
        "copied (1000 bytes per sample): requested");
}
