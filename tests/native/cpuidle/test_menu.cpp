// Known answers worked out by hand from drivers/cpuidle/governors/menu.c.
#include <doctest/doctest.h>

#include "x5650.hpp"

using namespace stallscope::cpuidle;
using namespace stallscope::cpuidle::x5650;

// The history begins with eight zeros. 6.18 leaves the zeros out, being farther from the average,
// once five intervals of eight are 250 us; the timer's prediction is C6's until then.
TEST_CASE("menu of 6.18 believes the typical interval after five of eight") {
  by_hand menu(kind::menu_6_18);
  CHECK(menu.repeat(7, 250, timer_in_5_ms) == std::vector<std::size_t>{c6, c6, c6, c6, c6, c3, c3});
}

// 6.12 leaves the largest out, which are the intervals themselves: it takes all eight.
TEST_CASE("menu of 6.12 believes the typical interval after eight") {
  by_hand menu(kind::menu_6_12);
  CHECK(menu.repeat(10, 250, timer_in_5_ms) ==
        std::vector<std::size_t>{c6, c6, c6, c6, c6, c6, c6, c6, c3, c3});
}

// To 6.1 the zeros are a typical interval: it polls until they are gone.
TEST_CASE("menu of 6.1 takes its empty history for idles of no length") {
  by_hand menu(kind::menu_6_1);
  CHECK(menu.repeat(10, 250, timer_in_5_ms) ==
        std::vector<std::size_t>{poll, poll, poll, poll, poll, poll, poll, poll, c3, c3});
}

TEST_CASE("menu stops the tick where a whole period is predicted, and keeps it else") {
  by_hand menu(kind::menu_6_18);
  const choice first = menu.go_idle(250, timer_in_5_ms);
  CHECK(first.state == c6);
  CHECK(first.stop_tick);                                   // 5 ms, times a factor of 1
  CHECK(menu.go_idle(250, timer_in_5_ms).stop_tick);        // 4.4 ms, times 7219/8192
  CHECK_FALSE(menu.go_idle(250, timer_in_5_ms).stop_tick);  // 3.9 ms, times 6368/8192
}

TEST_CASE("menu takes no state that the tick it keeps would cut short") {
  by_hand menu(kind::menu_6_18);
  static_cast<void>(menu.repeat(2, 250, timer_in_5_ms));
  CHECK(menu.go_idle(250, {.sleep_length_ns = 5000 * us, .next_tick_ns = 500 * us}).state == c3);
  CHECK(menu.go_idle(250, {.sleep_length_ns = 5000 * us, .next_tick_ns = 50 * us}).state == c1e);
}

TEST_CASE("menu minds the latency limit") {
  for (const kind which : {kind::menu_6_12, kind::menu_6_18}) {
    by_hand ten(which, 10 * us);
    CHECK(ten.go_idle(250, timer_in_5_ms).state == c1e);
    by_hand none(which, 0);
    CHECK(none.go_idle(250, timer_in_5_ms).state == poll);
    by_hand two(which, 2 * us);
    CHECK(two.go_idle(250, timer_in_5_ms).state == poll);
  }
}

TEST_CASE("menu does not look at the timer where idles are typically below 15 us") {
  for (const kind which : {kind::menu_6_12, kind::menu_6_18}) {
    by_hand menu(which);
    static_cast<void>(menu.repeat(40, 10, timer_in_5_ms));  // deep states measure more at first
    // A timer within 1 us would force POLL, were it looked at.
    const choice chosen = menu.go_idle(10, {.sleep_length_ns = us, .next_tick_ns = us});
    CHECK(chosen.state == c1);
    CHECK_FALSE(chosen.stop_tick);
  }
  by_hand older(kind::menu_6_1);
  static_cast<void>(older.repeat(8, 10, timer_in_5_ms));
  CHECK(older.go_idle(10, {.sleep_length_ns = us, .next_tick_ns = us}).state == poll);
}

// 4 us are too short for C1's residency of 6 us, yet longer than its exit latency of 3 us.
TEST_CASE("menu of 6.18 leaves polling where the exit latency is within the prediction") {
  by_hand menu(kind::menu_6_18);
  static_cast<void>(menu.repeat(40, 4, timer_in_5_ms));
  CHECK(menu.go_idle(4, timer_in_5_ms).state == c1);
  by_hand shorter(kind::menu_6_18);
  for (int n = 0; n < 8; ++n) {
    static_cast<void>(shorter.under_test->select(timer_in_5_ms));
    shorter.under_test->reflect({.state = poll, .residency_ns = 2 * us});
  }
  CHECK(shorter.under_test->select(timer_in_5_ms).state == poll);
}

TEST_CASE("a tick that wakes a CPU without timers counts as 45 ms of idle") {
  by_hand menu(kind::menu_6_18);
  const situation quiet{.sleep_length_ns = 1'000'000 * us, .next_tick_ns = 4000 * us};
  static_cast<void>(menu.repeat(8, 250, quiet));
  CHECK_FALSE(menu.under_test->select(quiet).stop_tick);
  for (int n = 0; n < 8; ++n) {
    static_cast<void>(menu.go_idle(4000, quiet, ended_by::tick));
  }
  const choice chosen = menu.under_test->select(quiet);
  CHECK(chosen.state == c6);
  CHECK(chosen.stop_tick);
}

TEST_CASE("with the tick stopped menu goes by the timer, so as not to be stuck") {
  for (const kind which : {kind::menu_6_1, kind::menu_6_12, kind::menu_6_18}) {
    by_hand menu(which);
    static_cast<void>(menu.repeat(8, 250, timer_in_5_ms));
    const situation stopped{
        .sleep_length_ns = 5000 * us, .next_tick_ns = 5000 * us, .tick_stopped = true};
    CHECK(menu.under_test->select(stopped).state == c6);
  }
}
