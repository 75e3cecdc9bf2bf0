// Known answers worked out by hand from drivers/cpuidle/governors/ladder.c.
#include <doctest/doctest.h>

#include "x5650.hpp"

using namespace stallscope::cpuidle;
using namespace stallscope::cpuidle::x5650;

// Idles of 100 us are longer than the exit latencies of C1, C1E and C3, but not than C6's 200 us:
// four lead down a step, one leads up again from C6.
TEST_CASE("ladder climbs down by four and up by one") {
  by_hand ladder(kind::ladder);
  CHECK(ladder.repeat(19, 100, timer_in_5_ms) ==
        std::vector<std::size_t>{c1, c1, c1, c1, c1e, c1e, c1e, c1e, c3, c3, c3, c3, c6, c3, c3, c3,
                                 c3, c6, c3});
}

TEST_CASE("ladder goes by exit latency, not by target residency") {
  by_hand ladder(kind::ladder);
  static_cast<void>(ladder.repeat(12, 250, timer_in_5_ms));
  // 250 us are far from C6's target residency of 800 us, yet longer than its exit latency.
  CHECK(ladder.repeat(3, 250, timer_in_5_ms) == std::vector<std::size_t>{c6, c6, c6});
}

TEST_CASE("ladder stays within the latency limit and lets the tick stop") {
  by_hand ladder(kind::ladder, 10 * us);
  const std::vector<std::size_t> chosen = ladder.repeat(20, 1000, timer_in_5_ms);
  CHECK(chosen.back() == c1e);
  CHECK(ladder.go_idle(1000, timer_in_5_ms).stop_tick);
  by_hand strict(kind::ladder, 0);
  CHECK(strict.go_idle(1000, timer_in_5_ms).state == poll);
}

TEST_CASE("ladder keeps using the first real state though it is closed") {
  std::array<idle_state, 5> closed = states;
  closed[c1].disabled = true;
  const auto ladder = make_governor(kind::ladder, {.states = closed});
  CHECK(ladder->select(timer_in_5_ms).state == c1);
}
