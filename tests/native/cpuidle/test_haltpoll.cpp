// Expected choices, derived by hand from drivers/cpuidle/governors/haltpoll.c.
#include <doctest/doctest.h>

#include "x5650.hpp"

using namespace stallscope::cpuidle;
using namespace stallscope::cpuidle::x5650;

namespace {

constexpr std::array<idle_state, 2> guest{{
    {.polling = true},
    {.exit_latency_ns = us, .target_residency_ns = us},
}};

}  // namespace

TEST_CASE("haltpoll polls up to 50 us after a halt that polling could have caught") {
  const auto haltpoll = make_governor(governor_kind::haltpoll, {.states = guest});
  CHECK(haltpoll->select({}).state == 1);
  haltpoll->reflect({.state = 1, .residency_ns = 101 * us});
  CHECK(haltpoll->poll_limit_ns() == 50 * us);
  CHECK(haltpoll->select({}).state == 0);
  haltpoll->reflect({.state = 0, .residency_ns = 50 * us, .cause = end_cause::poll_limit});
  CHECK(haltpoll->select({}).state == 1);
  haltpoll->reflect({.state = 1, .residency_ns = 51 * us});
  CHECK(haltpoll->poll_limit_ns() == 100 * us);
  haltpoll->reflect({.state = 1, .residency_ns = 150 * us});
  haltpoll->reflect({.state = 1, .residency_ns = 201 * us});  // too long: shrinks again
  CHECK(haltpoll->poll_limit_ns() == 100 * us);
}

TEST_CASE("haltpoll keeps polling after a wake-up during polling") {
  const auto haltpoll = make_governor(governor_kind::haltpoll, {.states = guest});
  haltpoll->reflect({.state = 1, .residency_ns = 101 * us});
  haltpoll->reflect({.state = 0, .residency_ns = 20 * us});
  const choice chosen = haltpoll->select({});
  CHECK(chosen.state == 0);
  CHECK_FALSE(chosen.stop_tick);
}

TEST_CASE("haltpoll ignores disabled states and latency limits other than 0") {
  std::array<idle_state, 2> disabled = guest;
  disabled[1].disabled = true;
  CHECK(make_governor(governor_kind::haltpoll, {.states = disabled})->select({}).state == 1);
  CHECK(make_governor(governor_kind::haltpoll, {.states = guest, .latency_limit_ns = 1})
            ->select({})
            .state == 1);
  CHECK(make_governor(governor_kind::haltpoll, {.states = guest, .latency_limit_ns = 0})
            ->select({})
            .state == 0);
}
