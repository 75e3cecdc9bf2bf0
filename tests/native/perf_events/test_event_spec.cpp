#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include "perf_events/event_spec.hpp"

using stallscope::perf_events::find_event;

TEST_CASE("software and generic events need no libpfm4") {
  CHECK(find_event("cpu-clock").config == PERF_COUNT_SW_CPU_CLOCK);
  CHECK(find_event("cpu-clock").counts_ns);
  CHECK(find_event("task-clock").counts_ns);
  CHECK(find_event("cycles").type == PERF_TYPE_HARDWARE);
  CHECK_FALSE(find_event("page-faults").counts_ns);
}

TEST_CASE("other names are looked up in libpfm4") {
  // The perf PMU of libpfm4 is there on every machine.
  const auto event = find_event("perf::PERF_COUNT_SW_CPU_CLOCK");
  CHECK(event.type == PERF_TYPE_SOFTWARE);
  CHECK(event.config == PERF_COUNT_SW_CPU_CLOCK);
  CHECK(event.counts_ns);
  CHECK(event.name == "perf::PERF_COUNT_SW_CPU_CLOCK");
}

TEST_CASE("an unknown name is reported as unknown") {
  CHECK_THROWS_AS(find_event("no_such_event"), stallscope::perf_events::unknown_event);
  CHECK_THROWS_AS(find_event(""), stallscope::perf_events::unknown_event);
}

TEST_CASE("the ladder goes from the most precise cycles down to cpu-clock") {
  const auto ladder = stallscope::perf_events::default_ladder(3);
  REQUIRE(ladder.size() == 5);
  CHECK(ladder.front().name == "cycles");
  CHECK(ladder.front().precise == 3);
  CHECK(ladder[3].precise == 0);
  CHECK(ladder.back().name == "cpu-clock");
}

TEST_CASE("a PMU without precise sampling gets no precise event") {
  const auto ladder = stallscope::perf_events::default_ladder(0);
  REQUIRE(ladder.size() == 2);
  CHECK(ladder.front().name == "cycles");
  CHECK(ladder.front().precise == 0);
  CHECK(stallscope::perf_events::max_precise() <= 3);
}

TEST_CASE("a name may include its encoding") {
  const auto slots = find_event("TOPDOWN.SLOTS:perf_metrics=4:0x400");
  CHECK(slots.name == "TOPDOWN.SLOTS:perf_metrics");
  CHECK(slots.type == PERF_TYPE_RAW);
  CHECK(slots.config == 0x400);
  CHECK(slots.precise == 0);
  const auto located = find_event("FRONTEND_RETIRED.L2_MISS=4:0x1c6:0x13:7:p");
  CHECK(located.config1 == 0x13);
  CHECK(located.config2 == 7);
  CHECK(located.precise == 3);
  CHECK(find_event("clock=1:1").counts_ns);
}

TEST_CASE("an invalid encoding is an unknown name") {
  for (const char* name : {"X=4", "X=4:", "X=4:1:", "X=4:-1", "X=4:0x1g", "=4:1", "X=4:1:2:3:4",
                           "X=4:p:1", "X=4:1:p:p", "X=5000000000:1", "X=4:99999999999999999999"}) {
    CAPTURE(name);
    CHECK_THROWS_AS(find_event(name), stallscope::perf_events::unknown_event);
  }
}
