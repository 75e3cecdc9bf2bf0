// Expected choices of menu before 4.17, derived by hand from its rules; see menu_4_9.hpp.
#include <doctest/doctest.h>

#include <algorithm>

#include "x5650.hpp"

using namespace stallscope::cpuidle;
using namespace stallscope::cpuidle::x5650;

namespace {

situation with_waiters(std::uint32_t io_waiters) {
  situation now = timer_in_5_ms;
  now.io_waiters = io_waiters;
  return now;
}

situation with_load(std::uint32_t load_hundredths) {
  situation now = timer_in_5_ms;
  now.load_hundredths = load_hundredths;
  return now;
}

// A governor after eight idles of a length, so that this length is its prediction.
governor_fixture after_eight(governor_kind kind, std::int64_t idle_us) {
  governor_fixture fixture(kind);
  static_cast<void>(fixture.repeat(8, idle_us, timer_in_5_ms));
  return fixture;
}

}  // namespace

// The empty history is eight idles of length zero. They are the typical interval until they are
// replaced, and C1 is the least state with a timer beyond 20 us.
TEST_CASE("menu 4.9 stays in C1 until its history is full") {
  governor_fixture menu(governor_kind::menu_4_9);
  CHECK(menu.repeat(10, 250, timer_in_5_ms) ==
        std::vector<std::size_t>{c1, c1, c1, c1, c1, c1, c1, c1, c3, c3});
}

// 250 us divided by 1 + 10 x waiters: 22 us allow C3 (20 us), 11 us C1E (10 us), 8 us C1 (3 us).
TEST_CASE("menu 4.9 chooses shallower states the more tasks wait for I/O") {
  const governor_fixture menu = after_eight(governor_kind::menu_4_9, 250);
  CHECK(menu.governor->select(with_waiters(0)).state == c3);
  CHECK(menu.governor->select(with_waiters(1)).state == c3);
  CHECK(menu.governor->select(with_waiters(2)).state == c1e);
  CHECK(menu.governor->select(with_waiters(3)).state == c1);
  CHECK(menu.governor->select(with_waiters(100)).state == c1);  // not below: 0 us, but no polling
}

// A load of 0.50 multiplies by 1 + 2 x 5 = 11, of 1.00 by 21, of 1.50 by 31.
TEST_CASE("menu 4.9 chooses shallower states the higher the load") {
  const governor_fixture menu = after_eight(governor_kind::menu_4_9, 250);
  CHECK(menu.governor->select(with_load(10)).state == c3);
  CHECK(menu.governor->select(with_load(50)).state == c3);
  CHECK(menu.governor->select(with_load(59)).state == c3);   // tenths count: 5, as of 0.50
  CHECK(menu.governor->select(with_load(60)).state == c1e);  // 250 / 13 = 19 us
  CHECK(menu.governor->select(with_load(100)).state == c1e);
  CHECK(menu.governor->select(with_load(150)).state == c1);
}

TEST_CASE("menu 4.9 adds the multipliers of load and I/O waiters") {
  const governor_fixture menu = after_eight(governor_kind::menu_4_9, 250);
  situation both = with_waiters(1);
  both.load_hundredths = 50;
  CHECK(menu.governor->select(both).state == c1e);  // 1 + 10 + 10
}

// 4,900 us: C6 takes 200 us, so that a multiplier of 24 fits and one of 25 does not.
TEST_CASE("menu 4.9 leaves the deepest state when the multiplier exceeds prediction by latency") {
  const governor_fixture menu = after_eight(governor_kind::menu_4_9, 4900);
  CHECK(menu.governor->select(with_waiters(2)).state == c6);  // 21
  CHECK(menu.governor->select(with_waiters(3)).state == c3);  // 31
  CHECK(menu.governor->select(with_load(119)).state == c6);   // 23
  CHECK(menu.governor->select(with_load(120)).state == c3);   // 25
}

// Idles of 50 to 400 us are too different to be typical. After two rounds of them the factor of a
// timer within 10 ms is 1341 / 8192. The factor with I/O waiters is still 1.
TEST_CASE("menu 4.9 learns separate factors with and without I/O waiters") {
  governor_fixture menu(governor_kind::menu_4_9);
  for (std::int64_t n = 0; n < 16; ++n) {
    static_cast<void>(menu.governor->select(timer_in_5_ms));
    menu.governor->reflect({.state = c1, .residency_ns = (50 * (n % 8 + 1) + 3) * us});
  }
  situation now{.sleep_length_ns = 2300 * us};
  CHECK(menu.governor->select(now).state == c3);  // 2,300 us by the factor are 377 us
  now.io_waiters = 1;
  CHECK(menu.governor->select(now).state == c6);  // 2,300 us, and 2,300 / 11 = 209 us
}

TEST_CASE("menu 4.9 polls only if a timer is within 20 us") {
  governor_fixture menu(governor_kind::menu_4_9);
  CHECK(menu.governor->select({.sleep_length_ns = 20 * us}).state == poll);
  CHECK(menu.governor->select({.sleep_length_ns = 21 * us}).state == c1);
}

TEST_CASE("menu 4.9 respects the latency limit") {
  governor_fixture none(governor_kind::menu_4_9, 0);
  CHECK(none.go_idle(250, timer_in_5_ms).state == poll);
  governor_fixture three(governor_kind::menu_4_9, 3 * us);  // C1's latency is not below the limit
  CHECK(three.go_idle(250, timer_in_5_ms).state == poll);
  governor_fixture ten(governor_kind::menu_4_9, 10 * us);
  static_cast<void>(ten.repeat(8, 250, timer_in_5_ms));
  CHECK(ten.go_idle(250, timer_in_5_ms).state == c1e);
}

TEST_CASE("menu 4.9 decides with the tick already stopped and polls without a limit") {
  governor_fixture menu(governor_kind::menu_4_9);
  CHECK(menu.go_idle(250, timer_in_5_ms).stop_tick);
  CHECK(menu.governor->poll_limit_ns() == no_timer_ns);
}

TEST_CASE("menu by the timer alone ignores history, load and I/O waiters") {
  governor_fixture timer(governor_kind::menu_timer);
  CHECK(timer.repeat(10, 250, timer_in_5_ms) == std::vector<std::size_t>(10, c6));
  situation busy = with_waiters(100);
  busy.load_hundredths = 900;
  CHECK(timer.governor->select(busy).state == c6);
  CHECK(timer.governor->select({.sleep_length_ns = 799 * us}).state == c3);
  CHECK(timer.governor->select({.sleep_length_ns = 79 * us}).state == c1e);
}

TEST_CASE("menu 6.1 divides the prediction by I/O waiters, later versions do not") {
  const governor_fixture older = after_eight(governor_kind::menu_6_1, 250);
  CHECK(older.governor->select(with_waiters(1)).state == c3);
  CHECK(older.governor->select(with_waiters(2)).state == c1e);
  CHECK(older.governor->select(with_waiters(3)).state == c1);
  CHECK(older.governor->select(with_load(900)).state == c3);
  for (const governor_kind kind : {governor_kind::menu_6_12, governor_kind::menu_6_18}) {
    const governor_fixture menu = after_eight(kind, 250);
    CHECK(menu.governor->select(with_waiters(100)).state ==
          menu.governor->select(with_waiters(0)).state);
  }
}
