#include <doctest/doctest.h>

#include "load/stall_log.hpp"

using stallscope::load::stall_log;

TEST_CASE("stalled time counts from the given moment") {
  stall_log away;
  CHECK(away.since(0) == 0);
  away.add(10, 20);
  away.add(30, 35);
  CHECK(away.since(5) == 15);
  CHECK(away.since(15) == 10);
  CHECK(away.since(20) == 5);
  CHECK(away.since(32) == 3);
  CHECK(away.since(35) == 0);
}

TEST_CASE("overlapping stalls count once") {
  stall_log away;
  away.add(10, 20);
  away.add(15, 25);
  away.add(12, 24);
  away.add(25, 30);
  CHECK(away.since(0) == 20);
  CHECK(away.since(26) == 4);
}

TEST_CASE("many stalls keep their total and never exceed the elapsed time") {
  stall_log away;
  constexpr std::uint64_t all = 3 * stall_log::max_count;
  for (std::uint64_t i = 0; i < all; ++i) away.add(10 * i, 10 * i + 1);
  CHECK(away.since(0) == all);
  const std::uint64_t end = 10 * (all - 1) + 1;
  CHECK(away.since(end - 2) == 2);
  CHECK(away.since(end) == 0);
}
