#include <doctest/doctest.h>

#include "collect/wait_budget.hpp"
#include "collect/window_schedule.hpp"

using namespace stallscope::collect;

namespace {

constexpr std::uint64_t interval_ns = 100'000'000;
constexpr std::uint64_t ns_per_switch = 5'000;

// The reading after a number of intervals at a rate, with the target on one CPU.
wait_reading reading_after(std::uint64_t intervals, std::uint64_t switches_per_s) {
  return {intervals * interval_ns, switches_per_s * intervals / 10, intervals * interval_ns};
}

}  // namespace

TEST_CASE("a rate within the limit is never in excess") {
  wait_budget budget{0.05, ns_per_switch, 2};
  for (std::uint64_t i = 0; i < 10; ++i) CHECK_FALSE(budget.observe(reading_after(i, 9'000)));
}

TEST_CASE("a rate is in excess when it has cost 20 ms more than the limit allows") {
  wait_budget above{0.05, ns_per_switch, 2};
  CHECK_FALSE(above.observe(reading_after(0, 20'000)));
  for (std::uint64_t i = 1; i <= 4; ++i) CHECK_FALSE(above.observe(reading_after(i, 20'000)));
  const auto excess = above.observe(reading_after(5, 20'000));
  REQUIRE(excess);
  CHECK(excess->switches_per_s == doctest::Approx(20'000));
  CHECK(excess->cost_share == doctest::Approx(0.1));
  wait_budget far_above{0.05, ns_per_switch, 2};
  CHECK_FALSE(far_above.observe(reading_after(0, 200'000)));
  CHECK(far_above.observe(reading_after(1, 200'000)));
}

TEST_CASE("bursts that time below the limit pays back are not enough") {
  wait_budget budget{0.05, ns_per_switch, 2};
  CHECK_FALSE(budget.observe({0, 0, 0}));
  for (std::uint64_t i = 0; i < 20; ++i) {
    const auto switches = i * 3'000;  // 15 ms, of which 15 ms are allowed in three intervals
    CHECK_FALSE(
        budget.observe({(3 * i + 1) * interval_ns, switches + 3'000, (3 * i + 1) * interval_ns}));
    CHECK_FALSE(
        budget.observe({(3 * i + 3) * interval_ns, switches + 3'000, (3 * i + 3) * interval_ns}));
  }
}

TEST_CASE("intervals below 5 ms are ignored") {
  wait_budget budget{0.05, ns_per_switch, 2};
  CHECK_FALSE(budget.observe({0, 0, 0}));
  CHECK_FALSE(budget.observe({1'000'000, 10'000, 1'000'000}));
}

TEST_CASE("a cost of more than 20 ms decides at once, with the rate of that moment") {
  wait_budget budget{0.05, ns_per_switch, 2};
  CHECK_FALSE(budget.observe({0, 0, 0}));
  CHECK_FALSE(budget.observe({40'000'000, 0, 0}));
  const auto excess = budget.observe({50'000'000, 5'000, 10'000'000});
  REQUIRE(excess);
  CHECK(excess->switches_per_s == doctest::Approx(500'000));
  CHECK(excess->run_share == doctest::Approx(1));
}

TEST_CASE("lost records count as switches in their proportion") {
  wait_budget budget{0.05, ns_per_switch, 2};
  CHECK_FALSE(budget.observe({0, 0, 0, 0, 0}));
  const auto excess = budget.observe({10'000'000, 1'000, 10'000'000, 2'000, 10'000});
  REQUIRE(excess);
  CHECK(excess->switches_per_s == doctest::Approx(600'000));
}

TEST_CASE("a phase without switches after a loss is not in excess") {
  wait_budget budget{0.05, ns_per_switch, 2};
  CHECK_FALSE(budget.observe({0, 0, 0, 0, 0}));
  CHECK_FALSE(budget.observe({100'000'000, 500, 100'000'000, 1'000, 600}));
  for (std::uint64_t i = 2; i < 10; ++i)
    CHECK_FALSE(budget.observe({i * interval_ns, 500, i * interval_ns, 1'000 * i, 600}));
}

TEST_CASE("the mean decides if the rate of the moment is within the limit") {
  wait_budget budget{0.05, ns_per_switch, 2};
  CHECK_FALSE(budget.observe({0, 0, 0}));
  CHECK_FALSE(budget.observe({40'000'000, 3'900, 8'000'000}));
  const auto excess = budget.observe({49'000'000, 4'600, 17'000'000});
  REQUIRE(excess);
  CHECK(excess->switches_per_s == doctest::Approx(4'600 / 0.049));
}

TEST_CASE("intervals below 50 ms pay nothing back") {
  wait_budget budget{0.05, ns_per_switch, 2};
  CHECK_FALSE(budget.observe({0, 0, 0}));
  CHECK_FALSE(budget.observe({10'000'000, 2'000, 10'000'000}));
  CHECK_FALSE(budget.observe({20'000'000, 4'000, 20'000'000}));
  CHECK(budget.observe({30'000'000, 6'000, 30'000'000}));
}

TEST_CASE("an idle target may cost up to the limit of a fifth of a CPU") {
  const wait_budget budget{0.05, ns_per_switch, 2};
  CHECK_FALSE(budget.excess_at(1'900, 0.001));
  CHECK(budget.excess_at(2'100, 0.001));
}

TEST_CASE("windows take half of what is left of three fifths of the limit") {
  const wait_budget budget{0.05, ns_per_switch, 2};
  const auto excess = budget.excess_at(30'000, 1);
  REQUIRE(excess);
  CHECK(excess->cost_share == doctest::Approx(0.15));
  const double windows = excess->window_share * 30'000 * 4'500e-9;
  const double disabled_events = 30'000 * (150e-9 + 120e-9);
  CHECK(windows == doctest::Approx(0.5 * ((0.6 - 0.28) * 0.05 - disabled_events)));
}

TEST_CASE("all parts of the cost in windows are at most three fifths of the limit") {
  for (const double limit : {0.03, 0.05, 0.1}) {
    const wait_budget budget{limit, ns_per_switch, 2};
    for (const double run : {0.3, 1.0, 2.0}) {
      for (const double rate : {40'000.0, 100'000.0, 400'000.0}) {
        const auto excess = budget.excess_at(rate * run, run);
        REQUIRE(excess);
        const double disabled_ns =
            excess->closed_between ? 0 : 150 + (excess->with_wake_ups ? 120 : 0);
        const double openings_per_s = 1e9 / static_cast<double>(excess->mean_period_ns);
        const double cost = rate * (disabled_ns + excess->window_share * 4'500) / 1e9 +
                            openings_per_s * 2 * (excess->closed_between ? 460e-6 : 90e-6) / run +
                            excess->tick_share / run + 0.08 * limit;
        CHECK(cost <= 0.6 * limit + 0.002 * rate * 4.5e-6);
      }
    }
  }
}

TEST_CASE("wake-ups are recorded in windows unless their disabled events cost too much") {
  const wait_budget budget{0.05, ns_per_switch, 2};
  CHECK(budget.excess_at(30'000, 1)->with_wake_ups);
  CHECK_FALSE(budget.excess_at(40'000, 1)->with_wake_ups);
}

TEST_CASE("at high rates the events of windows are closed between them, except on many CPUs") {
  CHECK_FALSE(wait_budget{0.05, ns_per_switch, 2}.excess_at(50'000, 1)->closed_between);
  CHECK(wait_budget{0.05, ns_per_switch, 2}.excess_at(100'000, 1)->closed_between);
  CHECK_FALSE(wait_budget{0.05, ns_per_switch, 256}.excess_at(100'000, 1)->closed_between);
}

TEST_CASE("readings and CPU samples beside windows take fixed parts of the limit") {
  const wait_budget budget{0.05, ns_per_switch, 2};
  CHECK(budget.excess_at(200'000, 0.4)->tick_share == doctest::Approx(0.1 * 0.05 * 0.4));
  CHECK(most_samples_per_s(0.05) == 133);
  CHECK(most_samples_per_s(0) == 1);
}

TEST_CASE("windows have the requested share of the time, with gaps that vary by half") {
  for (const double share : {0.004, 0.025, 0.1}) {
    window_schedule schedule{share, 100'000'000, 1};
    double gaps = 0;
    constexpr int count = 2'000;
    const double mean = static_cast<double>(schedule.length_ns()) * (1 - share) / share;
    CHECK(static_cast<double>(schedule.next_gap_ns()) <= mean);  // before the first window
    for (int i = 0; i < count; ++i) {
      const auto gap = static_cast<double>(schedule.next_gap_ns());
      CHECK(gap >= 0.49 * mean);
      CHECK(gap <= 1.51 * mean);
      gaps += gap;
    }
    const double inside = static_cast<double>(schedule.length_ns()) * count;
    CHECK(inside / (inside + gaps) == doctest::Approx(share).epsilon(0.05));
  }
}

TEST_CASE("a first window costs a burst, and its records fit into half of a ring") {
  const auto excess = wait_budget{0.05, ns_per_switch, 2}.excess_at(200'000, 2).value();
  const double cost_ns = burst_ns(excess) / 1e9 * 200'000 * static_cast<double>(ns_per_switch);
  CHECK(cost_ns == doctest::Approx(allowed_burst_ns));
  const double records = longest_window_ns(excess, 8U << 20, 4096) / 1e9 * 200'000;
  CHECK(records * (4096 + 400) == doctest::Approx(4U << 20));
}
