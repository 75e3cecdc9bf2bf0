#include "perf_script/event_line.hpp"

#include "doctest/doctest.h"

namespace perf_script = stallscope::perf_script;

TEST_CASE("the first line of a sample has command, ids, period and event") {
  const auto fields =
      perf_script::parse_event_line("V8 Worker 24 636/25607 [000] 1.5:     250000 cycles:u: ");
  REQUIRE(fields);
  CHECK(fields->command == "V8 Worker");
  CHECK(fields->process.empty());
  CHECK(fields->thread == "24");
  CHECK(fields->period == 250000);
  CHECK(fields->event == "cycles:u");
}

TEST_CASE("process and thread are divided by a slash") {
  const auto fields = perf_script::parse_event_line("java 12688/12764 6544038.708352: cpu-clock:");
  REQUIRE(fields);
  CHECK(fields->process == "12688");
  CHECK(fields->thread == "12764");
  CHECK_FALSE(fields->period);
  CHECK(fields->time_ns == 6544038708352000);
  CHECK(fields->event == "cpu-clock");
}

TEST_CASE("a tracepoint's fields are no event") {
  const auto fields = perf_script::parse_event_line("a 1 [0] 1.0: sched:switch: prev=x next=y");
  REQUIRE(fields);
  CHECK(fields->event.empty());
  CHECK_FALSE(fields->period);
}

TEST_CASE("other lines are no first line of a sample") {
  CHECK_FALSE(perf_script::parse_event_line(""));
  CHECK_FALSE(perf_script::parse_event_line("\t1 f (/x)"));
  CHECK_FALSE(perf_script::parse_event_line("word"));
  CHECK_FALSE(perf_script::parse_event_line("word 12"));
  CHECK_FALSE(perf_script::parse_event_line("word 12x y"));
}

TEST_CASE("a time has up to nine digits after the point, and is left out if it is malformed") {
  const auto time_of = [](const char* line) {
    return perf_script::parse_event_line(line)->time_ns;
  };
  CHECK(time_of("a 1/1 [003] d..2. 7.000000001234: 1 cycles:") == 7000000001);
  CHECK_FALSE(time_of("a 1/1 1 cycles:"));
  CHECK_FALSE(time_of("a 1/1 99999999999.5: 1 cycles:"));
  CHECK_FALSE(time_of("a 1/1 1.: 1 cycles:"));
}
