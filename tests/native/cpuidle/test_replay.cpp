// What a replay counts, by hand.
#include "cpuidle/replay.hpp"

#include <doctest/doctest.h>

#include <numeric>
#include <stdexcept>

#include "x5650.hpp"

using namespace stallscope::cpuidle;
using namespace stallscope::cpuidle::x5650;

namespace {

struct made_intervals {
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

TEST_CASE("too deep and too shallow are what the kernel counts as above and below") {
  made_intervals given;
  given.add(250, 5000, 2000);  // C6: 450 us with its exit, below its 800 us
  given.add(700, 5000, 2000);  // C6: 900 us: deep enough
  const replay_result deep = given.run({.which = kind::fixed, .fixed_state = c6});
  CHECK(deep.states[c6].entries == 2);
  CHECK(deep.states[c6].too_deep == 1);
  CHECK(deep.states[c6].too_shallow == 0);
  CHECK(deep.states[c6].residency_ns == 950 * us);
  const replay_result shallow = given.run({.which = kind::fixed, .fixed_state = c1});
  CHECK(shallow.states[c1].too_shallow == 2);
  CHECK(shallow.states[c1].too_deep == 0);
}

TEST_CASE("a tick that is left running cuts the interval, and the governor chooses again") {
  made_intervals given;
  for (int n = 0; n < 8; ++n) {
    given.add(250, 500'000, 2000);
  }
  given.add(10'000, 500'000, 2000);  // C3 with the tick: cut at 2, 6 and at 10 ms
  const replay_result cut = given.run({.which = kind::menu_6_12});
  CHECK(cut.states[c3].entries == 3);
  CHECK(cut.states[c3].wakeups == 1);
  CHECK(cut.states[c3].residency_ns == 10'000 * us);
  CHECK(cut.choices.size() == 9);
}

TEST_CASE("an interval that ended with the tick teaches menu that it could have been long") {
  made_intervals given;
  for (int n = 0; n < 9; ++n) {
    given.add(4000, 500'000, 4000);
    given.ended_by_tick.back() = n < 8 ? 1 : 0;
  }
  const replay_result made = given.run({.which = kind::menu_6_18});
  CHECK(made.states[c6].entries == 9);  // not cut once more at its very end
}

TEST_CASE("a timer due before the tick ends the interval, however long waking up takes") {
  made_intervals given;
  for (int n = 0; n < 20; ++n) {
    given.add(310, 290, 290);
  }
  const replay_result made = given.run({.which = kind::teo_6_12});
  CHECK(made.states[c3].entries == 20);
}

TEST_CASE("haltpoll's polling ends by its limit, then it halts") {
  made_intervals given;
  for (int n = 0; n < 3; ++n) {
    given.add(100, 5000, 2000);
  }
  const replay_result made = given.run({.which = kind::haltpoll});
  CHECK(made.choices == std::vector<std::uint8_t>{c1, poll, poll});
  CHECK(made.states[c1].wakeups == 2);  // 50 us polled, then halted; after that 100 us polled
  CHECK(made.states[poll].wakeups == 1);
  CHECK(made.states[poll].entries == 2);
  CHECK(made.states[poll].residency_ns == 150 * us);
}

TEST_CASE("each CPU has a history of its own") {
  made_intervals given;
  for (int n = 0; n < 6; ++n) {
    given.add(250, 5000, 2000, 0);
  }
  given.add(250, 5000, 2000, 1);
  const replay_result made = given.run({.which = kind::menu_6_18});
  CHECK(made.choices == std::vector<std::uint8_t>{c6, c6, c6, c6, c6, c3, c6});
}

TEST_CASE("following what was entered, the governor learns from that") {
  made_intervals given;
  for (int n = 0; n < 4; ++n) {
    given.add(250, 5000, 2000);
    given.entered.push_back(c1);
  }
  const replay_result made = given.run({.which = kind::teo_6_12, .follow_entered = true});
  CHECK(made.choices == std::vector<std::uint8_t>{c6, c3, c3, c3});
  CHECK(made.states[c1].entries == 4);
}

TEST_CASE("polling for ever ends in a bounded number of pieces") {
  made_intervals given;
  given.add(1'000'000'000'000, 1'000'000'000'000, 2000);
  const std::array<idle_state, 2> closed{{{.polling = true}, {.disabled = true}}};
  const replay_result made =
      replay({.states = closed}, given.columns(), {.which = kind::menu_6_18});
  CHECK(made.states[0].entries <= most_pieces);
  CHECK(made.states[0].residency_ns == 1'000'000'000'000 * us);
}

TEST_CASE("columns that do not fit are refused") {
  made_intervals given;
  given.add(-1, 5000, 2000);
  CHECK_THROWS_AS(given.run({}), std::invalid_argument);
  given.idle_ns[0] = 1;
  given.ended_by_tick.clear();
  CHECK_THROWS_AS(given.run({}), std::invalid_argument);
  given.ended_by_tick.push_back(0);
  CHECK_THROWS_AS(given.run({.follow_entered = true}), std::invalid_argument);
  given.entered.push_back(5);
  CHECK_THROWS_AS(given.run({.follow_entered = true}), std::invalid_argument);
  given.entered[0] = 4;
  CHECK_NOTHROW(given.run({.follow_entered = true}));
  given.cpu[0] = most_cpus;
  CHECK_THROWS_AS(given.run({}), std::invalid_argument);
  CHECK_THROWS_AS(make_governor(kind::ladder, {.states = std::span(states).first(1)}),
                  std::invalid_argument);
}
