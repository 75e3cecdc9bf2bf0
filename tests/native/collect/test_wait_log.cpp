#include <doctest/doctest.h>

#include "collect/wait_log.hpp"

using namespace stallscope::collect;

TEST_CASE("throttling is read from both versions of cpu.stat") {
  const auto first = parse_cpu_stat("nr_periods 9\nnr_throttled 8\nthrottled_time 484000000\n");
  CHECK(first.time_ns == 484'000'000);
  CHECK(first.periods == 8);
  const auto second = parse_cpu_stat("usage_usec 1\nnr_throttled 8\nthrottled_usec 484000\n");
  CHECK(second.time_ns == 484'000'000);
  CHECK_FALSE(parse_cpu_stat("usage_usec 1\n").time_ns);
}

TEST_CASE("stolen time is the eighth counter of all CPUs") {
  CHECK(parse_steal("cpu  1 2 3 4 5 6 7 8 9 10\ncpu0 1", 100) == 80'000'000);
  CHECK_FALSE(parse_steal("cpu  1 2 3\n", 100));
  CHECK_FALSE(parse_steal("", 100));
}
