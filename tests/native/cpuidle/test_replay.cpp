// Expected counts of a replay, derived by hand.
#include "cpuidle/replay.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

#include "x5650.hpp"

using namespace stallscope::cpuidle;
using namespace stallscope::cpuidle::x5650;

namespace {

struct interval_columns {
  void add(std::int64_t idle_us, std::int64_t timer_us, std::int64_t tick_us,
           std::uint32_t on_cpu = 0) {
    cpu.push_back(on_cpu);
    idle_ns.push_back(idle_us * us);
    sleep_length_ns.push_back(timer_us * us);
    next_tick_ns.push_back(tick_us * us);
    ended_by_tick.push_back(0);
  }
  [[nodiscard]] idle_intervals columns() const {
    return {.cpu = cpu,
            .idle_ns = idle_ns,
            .sleep_length_ns = sleep_length_ns,
            .next_tick_ns = next_tick_ns,
            .ended_by_tick = ended_by_tick,
            .entered = entered};
  }
  [[nodiscard]] replay_result run(const replay_options& options) const {
    return replay({.states = states}, columns(), options);
  }

  std::vector<std::uint32_t> cpu;
  std::vector<std::int64_t> idle_ns;
  std::vector<std::int64_t> sleep_length_ns;
  std::vector<std::int64_t> next_tick_ns;
  std::vector<std::uint8_t> ended_by_tick;
  std::vector<std::uint8_t> entered;
};

}  // namespace

TEST_CASE("too_deep and too_shallow match the kernel counts above and below") {
  interval_columns intervals;
  intervals.add(250, 5000, 2000);  // C6: 450 us with its exit, below its 800 us
  intervals.add(700, 5000, 2000);  // C6: 900 us: deep enough
  const replay_result deep = intervals.run({.governor = governor_kind::fixed, .fixed_state = c6});
  CHECK(deep.states[c6].entries == 2);
  CHECK(deep.states[c6].too_deep == 1);
  CHECK(deep.states[c6].too_shallow == 0);
  CHECK(deep.states[c6].residency_ns == 950 * us);
  const replay_result shallow =
      intervals.run({.governor = governor_kind::fixed, .fixed_state = c1});
  CHECK(shallow.states[c1].too_shallow == 2);
  CHECK(shallow.states[c1].too_deep == 0);
}

TEST_CASE("a running tick splits the interval and the governor chooses again") {
  interval_columns intervals;
  for (int n = 0; n < 8; ++n) {
    intervals.add(250, 500'000, 2000);
  }
  intervals.add(10'000, 500'000, 2000);  // C3 with the tick: cut at 2, 6 and at 10 ms
  const replay_result cut = intervals.run({.governor = governor_kind::menu_6_12});
  CHECK(cut.states[c3].entries == 3);
  CHECK(cut.states[c3].wakeups == 1);
  CHECK(cut.states[c3].residency_ns == 10'000 * us);
  CHECK(cut.choices.size() == 9);
}

TEST_CASE("menu records an interval ended by the tick as a long one") {
  interval_columns intervals;
  for (int n = 0; n < 9; ++n) {
    intervals.add(4000, 500'000, 4000);
    intervals.ended_by_tick.back() = n < 8 ? 1 : 0;
  }
  const replay_result result = intervals.run({.governor = governor_kind::menu_6_18});
  CHECK(result.states[c6].entries == 9);  // not split again at its end
}

TEST_CASE("a timer due before the tick ends the interval, whatever the exit latency") {
  interval_columns intervals;
  for (int n = 0; n < 20; ++n) {
    intervals.add(310, 290, 290);
  }
  const replay_result result = intervals.run({.governor = governor_kind::teo_6_12});
  CHECK(result.states[c3].entries == 20);
}

TEST_CASE("haltpoll halts after its polling limit") {
  interval_columns intervals;
  for (int n = 0; n < 3; ++n) {
    intervals.add(100, 5000, 2000);
  }
  const replay_result result = intervals.run({.governor = governor_kind::haltpoll});
  CHECK(result.choices == std::vector<std::uint8_t>{c1, poll, poll});
  CHECK(result.states[c1].wakeups == 2);  // 50 us polled, then halted; after that 100 us polled
  CHECK(result.states[poll].wakeups == 1);
  CHECK(result.states[poll].entries == 2);
  CHECK(result.states[poll].residency_ns == 150 * us);
}

TEST_CASE("every CPU has a separate history") {
  interval_columns intervals;
  for (int n = 0; n < 6; ++n) {
    intervals.add(250, 5000, 2000, 0);
  }
  intervals.add(250, 5000, 2000, 1);
  const replay_result result = intervals.run({.governor = governor_kind::menu_6_18});
  CHECK(result.choices == std::vector<std::uint8_t>{c6, c6, c6, c6, c6, c3, c6});
}

TEST_CASE("follow_entered reflects the recorded states") {
  interval_columns intervals;
  for (int n = 0; n < 4; ++n) {
    intervals.add(250, 5000, 2000);
    intervals.entered.push_back(c1);
  }
  const replay_result result =
      intervals.run({.governor = governor_kind::teo_6_12, .follow_entered = true});
  CHECK(result.choices == std::vector<std::uint8_t>{c6, c3, c3, c3});
  CHECK(result.states[c1].entries == 4);
}

TEST_CASE("endless polling takes a bounded number of pieces") {
  interval_columns intervals;
  intervals.add(1'000'000'000'000, 1'000'000'000'000, 2000);
  const std::array<idle_state, 2> disabled{{{.polling = true}, {.disabled = true}}};
  const replay_result result =
      replay({.states = disabled}, intervals.columns(), {.governor = governor_kind::menu_6_18});
  CHECK(result.states[0].entries <= max_pieces);
  CHECK(result.states[0].residency_ns == 1'000'000'000'000 * us);
}

TEST_CASE("inconsistent columns are rejected") {
  interval_columns intervals;
  intervals.add(-1, 5000, 2000);
  CHECK_THROWS_AS(intervals.run({}), std::invalid_argument);
  intervals.idle_ns[0] = 1;
  intervals.ended_by_tick.clear();
  CHECK_THROWS_AS(intervals.run({}), std::invalid_argument);
  intervals.ended_by_tick.push_back(0);
  CHECK_THROWS_AS(intervals.run({.follow_entered = true}), std::invalid_argument);
  intervals.entered.push_back(5);
  CHECK_THROWS_AS(intervals.run({.follow_entered = true}), std::invalid_argument);
  intervals.entered[0] = 4;
  CHECK_NOTHROW(intervals.run({.follow_entered = true}));
  intervals.cpu[0] = max_cpus;
  CHECK_THROWS_AS(intervals.run({}), std::invalid_argument);
  CHECK_THROWS_AS(make_governor(governor_kind::ladder, {.states = std::span(states).first(1)}),
                  std::invalid_argument);
}
