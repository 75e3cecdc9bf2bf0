// Expected choices, derived by hand from drivers/cpuidle/governors/menu.c.
#include <doctest/doctest.h>

#include "x5650.hpp"

using namespace stallscope::cpuidle;
using namespace stallscope::cpuidle::x5650;

// The history begins with eight zeros. 6.18 drops the zeros, which are farther from the average,
// once five of eight intervals are 250 us. Until then the prediction by the timer selects C6.
TEST_CASE("menu 6.18 uses the typical interval after five of eight") {
  governor_fixture menu(governor_kind::menu_6_18);
  CHECK(menu.repeat(7, 250, timer_in_5_ms) == std::vector<std::size_t>{c6, c6, c6, c6, c6, c3, c3});
}

// 6.12 drops the largest intervals, here the 250 us themselves, and therefore needs all eight.
TEST_CASE("menu 6.12 uses the typical interval after eight") {
  governor_fixture menu(governor_kind::menu_6_12);
  CHECK(menu.repeat(10, 250, timer_in_5_ms) ==
        std::vector<std::size_t>{c6, c6, c6, c6, c6, c6, c6, c6, c3, c3});
}

// For 6.1 the zeros are the typical interval: it polls until they have left the history.
TEST_CASE("menu 6.1 treats an empty history as idle periods of zero length") {
  governor_fixture menu(governor_kind::menu_6_1);
  CHECK(menu.repeat(10, 250, timer_in_5_ms) ==
        std::vector<std::size_t>{poll, poll, poll, poll, poll, poll, poll, poll, c3, c3});
}

TEST_CASE("menu stops the tick only if it predicts a full tick period") {
  governor_fixture menu(governor_kind::menu_6_18);
  const choice first = menu.go_idle(250, timer_in_5_ms);
  CHECK(first.state == c6);
  CHECK(first.stop_tick);                                   // 5 ms, times a factor of 1
  CHECK(menu.go_idle(250, timer_in_5_ms).stop_tick);        // 4.4 ms, times 7219/8192
  CHECK_FALSE(menu.go_idle(250, timer_in_5_ms).stop_tick);  // 3.9 ms, times 6368/8192
}

TEST_CASE("menu chooses no state whose target residency exceeds the tick it keeps") {
  governor_fixture menu(governor_kind::menu_6_18);
  static_cast<void>(menu.repeat(2, 250, timer_in_5_ms));
  CHECK(menu.go_idle(250, {.sleep_length_ns = 5000 * us, .next_tick_ns = 500 * us}).state == c3);
  CHECK(menu.go_idle(250, {.sleep_length_ns = 5000 * us, .next_tick_ns = 50 * us}).state == c1e);
}

TEST_CASE("menu respects the latency limit") {
  for (const governor_kind kind : {governor_kind::menu_6_12, governor_kind::menu_6_18}) {
    governor_fixture ten(kind, 10 * us);
    CHECK(ten.go_idle(250, timer_in_5_ms).state == c1e);
    governor_fixture none(kind, 0);
    CHECK(none.go_idle(250, timer_in_5_ms).state == poll);
    governor_fixture two(kind, 2 * us);
    CHECK(two.go_idle(250, timer_in_5_ms).state == poll);
  }
}

TEST_CASE("menu does not read the timer if idles are typically below 15 us") {
  for (const governor_kind kind : {governor_kind::menu_6_12, governor_kind::menu_6_18}) {
    governor_fixture menu(kind);
    static_cast<void>(
        menu.repeat(40, 10, timer_in_5_ms));  // deep states report a longer residency at first
    // A timer within 1 us would force POLL if the governor read it.
    const choice chosen = menu.go_idle(10, {.sleep_length_ns = us, .next_tick_ns = us});
    CHECK(chosen.state == c1);
    CHECK_FALSE(chosen.stop_tick);
  }
  governor_fixture older(governor_kind::menu_6_1);
  static_cast<void>(older.repeat(8, 10, timer_in_5_ms));
  CHECK(older.go_idle(10, {.sleep_length_ns = us, .next_tick_ns = us}).state == poll);
}

// 4 us are below C1's target residency of 6 us, but above its exit latency of 3 us.
TEST_CASE("menu 6.18 leaves polling if the exit latency is within the prediction") {
  governor_fixture menu(governor_kind::menu_6_18);
  static_cast<void>(menu.repeat(40, 4, timer_in_5_ms));
  CHECK(menu.go_idle(4, timer_in_5_ms).state == c1);
  governor_fixture shorter(governor_kind::menu_6_18);
  for (int n = 0; n < 8; ++n) {
    static_cast<void>(shorter.governor->select(timer_in_5_ms));
    shorter.governor->reflect({.state = poll, .residency_ns = 2 * us});
  }
  CHECK(shorter.governor->select(timer_in_5_ms).state == poll);
}

TEST_CASE("menu counts a wake-up by the tick without timers as 45 ms") {
  governor_fixture menu(governor_kind::menu_6_18);
  const situation quiet{.sleep_length_ns = 1'000'000 * us, .next_tick_ns = 4000 * us};
  static_cast<void>(menu.repeat(8, 250, quiet));
  CHECK_FALSE(menu.governor->select(quiet).stop_tick);
  for (int n = 0; n < 8; ++n) {
    static_cast<void>(menu.go_idle(4000, quiet, end_cause::tick));
  }
  const choice chosen = menu.governor->select(quiet);
  CHECK(chosen.state == c6);
  CHECK(chosen.stop_tick);
}

TEST_CASE("menu follows the timer if the tick is stopped") {
  for (const governor_kind kind :
       {governor_kind::menu_6_1, governor_kind::menu_6_12, governor_kind::menu_6_18}) {
    governor_fixture menu(kind);
    static_cast<void>(menu.repeat(8, 250, timer_in_5_ms));
    const situation stopped{
        .sleep_length_ns = 5000 * us, .next_tick_ns = 5000 * us, .tick_stopped = true};
    CHECK(menu.governor->select(stopped).state == c6);
  }
}
