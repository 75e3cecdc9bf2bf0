#include <doctest/doctest.h>

#include "load/absences.hpp"

using stallscope::load::absences;

TEST_CASE("time absent counts from the moment asked for") {
  absences away;
  CHECK(away.since(0) == 0);
  away.add(10, 20);
  away.add(30, 35);
  CHECK(away.since(5) == 15);
  CHECK(away.since(15) == 10);
  CHECK(away.since(20) == 5);
  CHECK(away.since(32) == 3);
  CHECK(away.since(35) == 0);
}

TEST_CASE("what was told before does not count twice") {
  absences away;
  away.add(10, 20);
  away.add(15, 25);
  away.add(12, 24);
  away.add(25, 30);
  CHECK(away.since(0) == 20);
  CHECK(away.since(26) == 4);
}

TEST_CASE("of many absences none is lost, and none gets longer than the time since") {
  absences away;
  constexpr std::uint64_t all = 3 * absences::most;
  for (std::uint64_t i = 0; i < all; ++i) away.add(10 * i, 10 * i + 1);
  CHECK(away.since(0) == all);
  const std::uint64_t end = 10 * (all - 1) + 1;
  CHECK(away.since(end - 2) == 2);
  CHECK(away.since(end) == 0);
}
