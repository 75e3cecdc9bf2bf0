#include <doctest/doctest.h>

#include <cmath>
#include <set>

#include "disk/offsets.hpp"

namespace stallscope::disk {
namespace {

const target span{.path = "", .fd = {}, .offset = 8192, .span_bytes = 10 * 4096 + 100};

TEST_CASE("random offsets cover all blocks of the span and repeat for the same seed") {
  offsets first{span, {}};
  offsets again{span, {}};
  std::set<std::uint64_t> seen;
  for (int i = 0; i < 1000; ++i) {
    const std::uint64_t at = first.next();
    CHECK(at == again.next());
    CHECK((at - span.offset) % 4096 == 0);
    seen.insert(at);
  }
  CHECK(seen.size() == 10);
  CHECK(*seen.begin() == 8192);
  CHECK(*seen.rbegin() == 8192 + 9 * 4096);
}

TEST_CASE("a sequence starts at its share of the span and wraps around") {
  const point settings{.pattern = pattern::sequential};
  offsets half{span, settings, 0.5};
  for (unsigned i = 0; i < 25; ++i) CHECK(half.next() == 8192 + (5 + i) % 10 * 4096);
}

TEST_CASE("writes occur at their share, and never at share 0") {
  constexpr int requests = 100'000;
  for (const double share : {0.0, 0.3, 1.0}) {
    offsets mixed{span, {.read_share = 1 - share}};
    int writes = 0;
    for (int i = 0; i < requests; ++i) writes += mixed.next_writes() ? 1 : 0;
    const double error = std::sqrt(share * (1 - share) * requests);
    CHECK(std::abs(writes - share * requests) <= 5 * error);
  }
}

}  // namespace
}  // namespace stallscope::disk
