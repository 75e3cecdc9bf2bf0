// Known answers worked out by hand from drivers/cpuidle/governors/teo.c.
#include <doctest/doctest.h>

#include "x5650.hpp"

using namespace stallscope::cpuidle;
using namespace stallscope::cpuidle::x5650;

// One idle of 250 us in C6 measures 350 us: an intercept in the bin of C3, and it outweighs all.
TEST_CASE("teo takes the bin of intercepts after the first one") {
  for (const kind which : {kind::teo_6_12, kind::teo_6_18}) {
    by_hand teo(which);
    const choice first = teo.go_idle(250, timer_in_5_ms);
    CHECK(first.state == c6);
    CHECK(first.stop_tick);
    const choice second = teo.go_idle(250, timer_in_5_ms);
    CHECK(second.state == c3);
    CHECK_FALSE(second.stop_tick);  // intercepts before the tick prevail
    CHECK(teo.repeat(5, 250, timer_in_5_ms) == std::vector<std::size_t>(5, c3));
  }
}

// An idle of 4.5 ms with the timer at 5 ms: the same bin. 6.18 wants it closer to the timer than
// half of C6's exit latency, 100 us, or counts an intercept, which C6's own bin may hold.
TEST_CASE("teo keeps the deepest state where idles end with the timer") {
  for (const kind which : {kind::teo_6_12, kind::teo_6_18}) {
    by_hand teo(which);
    CHECK(teo.repeat(6, 4950, timer_in_5_ms) == std::vector<std::size_t>(6, c6));
    CHECK(teo.repeat(6, 4500, timer_in_5_ms) == std::vector<std::size_t>(6, c6));
  }
}

// Hits of the timer leave the tick to be stopped; intercepts of C6's own bin are longer than a
// tick.
TEST_CASE("teo returns to the deepest state as intercepts decay") {
  for (const kind which : {kind::teo_6_12, kind::teo_6_18}) {
    by_hand teo(which);
    static_cast<void>(teo.repeat(2, 250, timer_in_5_ms));
    const std::vector<std::size_t> chosen = teo.repeat(12, 4950, timer_in_5_ms);
    CHECK(chosen.front() == c3);
    CHECK(chosen.back() == c6);
  }
}

TEST_CASE("teo takes a shallower state where the timer is near") {
  for (const kind which : {kind::teo_6_12, kind::teo_6_18}) {
    by_hand teo(which);
    CHECK(teo.go_idle(90, {.sleep_length_ns = 90 * us, .next_tick_ns = 90 * us}).state == c3);
  }
}

TEST_CASE("teo minds the latency limit") {
  for (const kind which : {kind::teo_6_12, kind::teo_6_18}) {
    by_hand ten(which, 10 * us);
    CHECK(ten.go_idle(250, timer_in_5_ms).state == c1e);
    by_hand none(which, 0);
    CHECK(none.go_idle(250, timer_in_5_ms).state == poll);
  }
}

// Idles of 8 us: intercepts of C1's bin. 6.12 then never looks at the timer for a state below 15
// us; 6.18 neither, as short idles prevail.
TEST_CASE("teo does not look at the timer where short idles prevail") {
  for (const kind which : {kind::teo_6_12, kind::teo_6_18}) {
    by_hand teo(which);
    static_cast<void>(teo.repeat(8, 8, timer_in_5_ms));
    CHECK(teo.go_idle(8, {.sleep_length_ns = us, .next_tick_ns = us}).state == c1);
  }
}

// The tick woke it again and again: 6.18 counts hits of the deepest state and stops the tick.
TEST_CASE("teo stops a tick that prevails among wake-ups") {
  by_hand teo(kind::teo_6_18);
  const situation quiet{.sleep_length_ns = 1'000'000 * us, .next_tick_ns = 4000 * us};
  static_cast<void>(teo.repeat(6, 250, quiet));
  CHECK_FALSE(teo.under_test->select(quiet).stop_tick);
  for (int n = 0; n < 20; ++n) {
    static_cast<void>(teo.go_idle(4000, quiet, ended_by::tick));
  }
  const choice chosen = teo.under_test->select(quiet);
  CHECK(chosen.state == c6);
  CHECK(chosen.stop_tick);
}

TEST_CASE("teo passes over closed states") {
  std::array<idle_state, 5> closed = states;
  closed[c6].disabled = true;
  closed[c3].disabled = true;
  for (const kind which : {kind::teo_6_12, kind::teo_6_18}) {
    const auto teo = make_governor(which, {.states = closed});
    CHECK(teo->select(timer_in_5_ms).state == c1e);
  }
}
