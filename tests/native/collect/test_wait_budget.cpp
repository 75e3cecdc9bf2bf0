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
  wait_budget budget{0.05, ns_per_switch};
  for (std::uint64_t i = 0; i < 10; ++i) CHECK_FALSE(budget.observe(reading_after(i, 9'000)));
}

TEST_CASE("a rate above the limit is in excess after two intervals, far above it after one") {
  wait_budget above{0.05, ns_per_switch};
  CHECK_FALSE(above.observe(reading_after(0, 20'000)));
  CHECK_FALSE(above.observe(reading_after(1, 20'000)));
  const auto excess = above.observe(reading_after(2, 20'000));
  REQUIRE(excess);
  CHECK(excess->switches_per_s == doctest::Approx(20'000));
  CHECK(excess->cost_share == doctest::Approx(0.1));
  wait_budget far_above{0.05, ns_per_switch};
  CHECK_FALSE(far_above.observe(reading_after(0, 200'000)));
  CHECK(far_above.observe(reading_after(1, 200'000)));
}

TEST_CASE("a single busy interval is not enough") {
  wait_budget budget{0.05, ns_per_switch};
  CHECK_FALSE(budget.observe({0, 0, 0}));
  CHECK_FALSE(budget.observe({interval_ns, 2'000, interval_ns}));
  CHECK_FALSE(budget.observe({2 * interval_ns, 2'000, 2 * interval_ns}));
  CHECK_FALSE(budget.observe({3 * interval_ns, 4'000, 3 * interval_ns}));
}

TEST_CASE("intervals below 50 ms are ignored") {
  wait_budget budget{0.05, ns_per_switch};
  CHECK_FALSE(budget.observe({0, 0, 0}));
  CHECK_FALSE(budget.observe({1'000'000, 10'000, 1'000'000}));
}

TEST_CASE("an idle target may cost up to the limit of a fifth of a CPU") {
  const wait_budget budget{0.05, ns_per_switch};
  CHECK_FALSE(budget.excess_at(1'900, 0.001));
  CHECK(budget.excess_at(2'100, 0.001));
}

TEST_CASE("windows take half of what CPU samples, readings and closed windows leave of the limit") {
  const wait_budget budget{0.05, ns_per_switch};
  const auto excess = budget.excess_at(200'000, 1);
  REQUIRE(excess);
  CHECK(excess->cost_share == doctest::Approx(1.0));
  const double windows = excess->window_share * 200'000 * 4'500e-9;
  const double closed_windows = 200'000 * 50e-9;
  CHECK(windows == doctest::Approx(0.5 * (0.72 * 0.05 - closed_windows)));
}

TEST_CASE("wake-ups are recorded in windows unless their closed events cost too much") {
  const wait_budget budget{0.05, ns_per_switch};
  CHECK(budget.excess_at(50'000, 1)->with_wake_ups);
  CHECK_FALSE(budget.excess_at(200'000, 1)->with_wake_ups);
}

TEST_CASE("readings and CPU samples beside windows take fixed parts of the limit") {
  const wait_budget budget{0.05, ns_per_switch};
  CHECK(budget.excess_at(200'000, 0.4)->tick_share == doctest::Approx(0.2 * 0.05 * 0.4));
  CHECK(most_samples_per_s(0.05) == 266);
  CHECK(most_samples_per_s(0) == 1);
}

TEST_CASE("windows have the requested share of the time, with gaps that vary by half") {
  for (const double share : {0.004, 0.025, 0.1}) {
    window_schedule schedule{share, 1};
    double gaps = 0;
    constexpr int count = 2'000;
    const double mean = static_cast<double>(schedule.length_ns()) * (1 - share) / share;
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
