// Expected choices, derived by hand from drivers/cpuidle/governors/ladder.c.
#include <doctest/doctest.h>

#include "x5650.hpp"

using namespace stallscope::cpuidle;
using namespace stallscope::cpuidle::x5650;

// Idle periods of 100 us exceed the exit latencies of C1, C1E and C3, but not the 200 us of C6:
// four of them lead one state deeper, one leads back from C6.
TEST_CASE("ladder goes deeper after four long idle periods and shallower after one short period") {
  governor_fixture ladder(governor_kind::ladder);
  CHECK(ladder.repeat(19, 100, timer_in_5_ms) ==
        std::vector<std::size_t>{c1, c1, c1, c1, c1e, c1e, c1e, c1e, c3, c3, c3, c3, c6, c3, c3, c3,
                                 c3, c6, c3});
}

TEST_CASE("ladder compares with the exit latency, not the target residency") {
  governor_fixture ladder(governor_kind::ladder);
  static_cast<void>(ladder.repeat(12, 250, timer_in_5_ms));
  // 250 us are below C6's target residency of 800 us, but above its exit latency.
  CHECK(ladder.repeat(3, 250, timer_in_5_ms) == std::vector<std::size_t>{c6, c6, c6});
}

TEST_CASE("ladder stays within the latency limit and stops the tick") {
  governor_fixture ladder(governor_kind::ladder, 10 * us);
  const std::vector<std::size_t> chosen = ladder.repeat(20, 1000, timer_in_5_ms);
  CHECK(chosen.back() == c1e);
  CHECK(ladder.go_idle(1000, timer_in_5_ms).stop_tick);
  governor_fixture strict(governor_kind::ladder, 0);
  CHECK(strict.go_idle(1000, timer_in_5_ms).state == poll);
}

TEST_CASE("ladder keeps using the first state after POLL even if it is disabled") {
  std::array<idle_state, 5> disabled = states;
  disabled[c1].disabled = true;
  const auto ladder = make_governor(governor_kind::ladder, {.states = disabled});
  CHECK(ladder->select(timer_in_5_ms).state == c1);
}
