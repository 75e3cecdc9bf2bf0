// Expected choices, derived by hand from drivers/cpuidle/governors/teo.c.
#include <doctest/doctest.h>

#include "x5650.hpp"

using namespace stallscope::cpuidle;
using namespace stallscope::cpuidle::x5650;

// An idle period of 250 us in C6 measures 350 us: an intercept in the bin of C3 that outweighs all
// other counts.
TEST_CASE("teo chooses the bin of the intercepts after the first intercept") {
  for (const governor_kind kind : {governor_kind::teo_6_12, governor_kind::teo_6_18}) {
    governor_fixture teo(kind);
    const choice first = teo.go_idle(250, timer_in_5_ms);
    CHECK(first.state == c6);
    CHECK(first.stop_tick);
    const choice second = teo.go_idle(250, timer_in_5_ms);
    CHECK(second.state == c3);
    CHECK_FALSE(second.stop_tick);  // intercepts before the tick prevail
    CHECK(teo.repeat(5, 250, timer_in_5_ms) == std::vector<std::size_t>(5, c3));
  }
}

// An idle period of 4.5 ms with the timer at 5 ms falls into the same bin. 6.18 counts a hit only
// within half of C6's exit latency (100 us) of the timer, otherwise an intercept in C6's bin.
TEST_CASE("teo keeps the deepest state if idle periods end with the timer") {
  for (const governor_kind kind : {governor_kind::teo_6_12, governor_kind::teo_6_18}) {
    governor_fixture teo(kind);
    CHECK(teo.repeat(6, 4950, timer_in_5_ms) == std::vector<std::size_t>(6, c6));
    CHECK(teo.repeat(6, 4500, timer_in_5_ms) == std::vector<std::size_t>(6, c6));
  }
}

// Hits let the governor stop the tick; intercepts in C6's bin are longer than a tick.
TEST_CASE("teo returns to the deepest state as intercepts decay") {
  for (const governor_kind kind : {governor_kind::teo_6_12, governor_kind::teo_6_18}) {
    governor_fixture teo(kind);
    static_cast<void>(teo.repeat(2, 250, timer_in_5_ms));
    const std::vector<std::size_t> chosen = teo.repeat(12, 4950, timer_in_5_ms);
    CHECK(chosen.front() == c3);
    CHECK(chosen.back() == c6);
  }
}

TEST_CASE("teo chooses a shallower state if the timer is near") {
  for (const governor_kind kind : {governor_kind::teo_6_12, governor_kind::teo_6_18}) {
    governor_fixture teo(kind);
    CHECK(teo.go_idle(90, {.sleep_length_ns = 90 * us, .next_tick_ns = 90 * us}).state == c3);
  }
}

TEST_CASE("teo respects the latency limit") {
  for (const governor_kind kind : {governor_kind::teo_6_12, governor_kind::teo_6_18}) {
    governor_fixture ten(kind, 10 * us);
    CHECK(ten.go_idle(250, timer_in_5_ms).state == c1e);
    governor_fixture none(kind, 0);
    CHECK(none.go_idle(250, timer_in_5_ms).state == poll);
  }
}

// Idle periods of 8 us are intercepts in C1's bin. 6.12 does not read the timer for a state below
// 15 us; 6.18 does not read it because short idle periods prevail.
TEST_CASE("teo does not read the timer if short idles prevail") {
  for (const governor_kind kind : {governor_kind::teo_6_12, governor_kind::teo_6_18}) {
    governor_fixture teo(kind);
    static_cast<void>(teo.repeat(8, 8, timer_in_5_ms));
    CHECK(teo.go_idle(8, {.sleep_length_ns = us, .next_tick_ns = us}).state == c1);
  }
}

// The tick wakes the CPU repeatedly: 6.18 counts hits of the deepest state and stops the tick.
TEST_CASE("teo stops the tick if ticks prevail among wake-ups") {
  governor_fixture teo(governor_kind::teo_6_18);
  const situation quiet{.sleep_length_ns = 1'000'000 * us, .next_tick_ns = 4000 * us};
  static_cast<void>(teo.repeat(6, 250, quiet));
  CHECK_FALSE(teo.governor->select(quiet).stop_tick);
  for (int n = 0; n < 20; ++n) {
    static_cast<void>(teo.go_idle(4000, quiet, end_cause::tick));
  }
  const choice chosen = teo.governor->select(quiet);
  CHECK(chosen.state == c6);
  CHECK(chosen.stop_tick);
}

TEST_CASE("teo skips disabled states") {
  std::array<idle_state, 5> disabled = states;
  disabled[c6].disabled = true;
  disabled[c3].disabled = true;
  for (const governor_kind kind : {governor_kind::teo_6_12, governor_kind::teo_6_18}) {
    const auto teo = make_governor(kind, {.states = disabled});
    CHECK(teo->select(timer_in_5_ms).state == c1e);
  }
}
