#include <doctest/doctest.h>

#include "collect/sample_pace.hpp"

namespace stallscope::collect {

constexpr std::uint64_t period_ns = 1'000'000;
constexpr std::uint64_t newest_ns = 50'000'000;

TEST_CASE("a ring is looked at shortly after its next sample is due") {
  sample_pace pace{period_ns};
  pace.note(newest_ns);
  const auto first = pace.pause_ns(newest_ns + 200'000);
  CHECK(first > 800'000);
  CHECK(first < 900'000);
}

TEST_CASE("a sample that is overdue is expected soon, then at the usual pace") {
  sample_pace pace{period_ns};
  pace.note(newest_ns);
  CHECK(pace.pause_ns(newest_ns + period_ns + 200'000) == 100'000);
  CHECK(pace.pause_ns(newest_ns + 20 * period_ns) == sample_pace::longest_pause_ns);
}

TEST_CASE("only clocks have an interval that is known in advance") {
  perf_event_attr attribute{};
  attribute.type = PERF_TYPE_SOFTWARE;
  attribute.config = PERF_COUNT_SW_CPU_CLOCK;
  attribute.sample_period = 5'000'000;
  CHECK(clock_period_ns(attribute) == 5'000'000);
  attribute.freq = 1;
  attribute.sample_freq = 100;
  CHECK(clock_period_ns(attribute) == 10'000'000);
  attribute.sample_freq = 0;
  CHECK(clock_period_ns(attribute) == 0);
  attribute.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
  CHECK(clock_period_ns(attribute) == 0);
  attribute.type = PERF_TYPE_HARDWARE;
  CHECK(clock_period_ns(attribute) == 0);
}

TEST_CASE("the pause has a limit if samples are rare, not predicted, or from the future") {
  sample_pace rare{100 * period_ns};
  rare.note(newest_ns);
  CHECK(rare.pause_ns(newest_ns) == sample_pace::longest_pause_ns);
  sample_pace no_clock{0};
  no_clock.note(newest_ns);
  CHECK(no_clock.pause_ns(newest_ns) == sample_pace::longest_pause_ns);
  CHECK(sample_pace{period_ns}.pause_ns(0) == sample_pace::longest_pause_ns);
  rare.note(newest_ns + 900 * period_ns);
  CHECK(rare.pause_ns(newest_ns) == sample_pace::longest_pause_ns);
}

}  // namespace stallscope::collect
