#include <doctest/doctest.h>

#include <string>
#include <vector>

#include "count/phase_schedule.hpp"

namespace stallscope::count {
namespace {

// The changes that are due at a time, as "+10 -20".
std::string due(phase_schedule& schedule, std::uint64_t now_ns) {
  std::string text;
  while (const auto change = schedule.take_due(now_ns)) {
    if (!text.empty()) text += ' ';
    text += (change->starts ? "+" : "-") + std::to_string(change->marked_ns);
  }
  return text;
}

TEST_CASE("announced changes are due at their time and not before") {
  phase_schedule schedule;
  CHECK(schedule.add("start 100", 10));
  CHECK(schedule.add("stop 200", 10));
  CHECK(schedule.next_ns() == 100);
  CHECK(due(schedule, 99).empty());
  CHECK(due(schedule, 100) == "+100");
  CHECK(schedule.running());
  CHECK(schedule.next_ns() == 200);
  CHECK(due(schedule, 250) == "-200");
  CHECK_FALSE(schedule.running());
  CHECK(schedule.next_ns() == 0);
}

TEST_CASE("a mark without a time is due now") {
  phase_schedule schedule;
  CHECK(schedule.add("start", 5));
  CHECK(due(schedule, 5) == "+5");
  CHECK(schedule.add("stop", 9));
  CHECK(due(schedule, 9) == "-9");
}

TEST_CASE("an earlier stop replaces the announced one and a later stop does not") {
  phase_schedule schedule;
  schedule.add("start 100", 0);
  schedule.add("stop 200", 0);
  schedule.add("stop 300", 0);
  schedule.add("stop 150", 0);
  CHECK(due(schedule, 400) == "+100 -150");
  schedule.add("stop 500", 400);
  CHECK(due(schedule, 600).empty());
}

TEST_CASE("a stop before the start cancels the phase") {
  phase_schedule schedule;
  schedule.add("start 100", 0);
  schedule.add("stop 200", 0);
  schedule.add("stop 50", 0);
  CHECK(due(schedule, 400).empty());
  CHECK(schedule.next_ns() == 0);
}

TEST_CASE("a phase without a length is kept") {
  phase_schedule schedule;
  schedule.add("start", 7);
  schedule.add("stop", 7);
  CHECK(due(schedule, 7) == "+7 -7");
}

TEST_CASE("a start within a phase has no effect") {
  phase_schedule schedule;
  schedule.add("start 100", 0);
  schedule.add("start 120", 0);
  schedule.add("stop 200", 0);
  CHECK(due(schedule, 400) == "+100 -200");
}

TEST_CASE("phases follow one another") {
  phase_schedule schedule;
  for (const char* mark : {"start 10", "stop 20", "start 30", "stop 40"}) schedule.add(mark, 0);
  CHECK(due(schedule, 35) == "+10 -20 +30");
  CHECK(due(schedule, 40) == "-40");
}

TEST_CASE("the end of the marks ends a running phase and cancels a later one") {
  phase_schedule running;
  running.add("start 10", 0);
  CHECK(due(running, 20) == "+10");
  running.add("stop 90", 20);
  running.close(30);
  CHECK(due(running, 30) == "-30");
  phase_schedule later;
  later.add("start 100", 0);
  later.close(30);
  CHECK(due(later, 500).empty());
}

TEST_CASE("other lines are rejected") {
  phase_schedule schedule;
  for (const char* line : {"", "begin", "starting", "start x", "start 1x", "start -1", "stop  1",
                           "start 99999999999999999999999"}) {
    CAPTURE(line);
    CHECK_FALSE(schedule.add(line, 0));
  }
  CHECK(due(schedule, UINT64_MAX).empty());
}

TEST_CASE("the number of announced changes is limited") {
  phase_schedule schedule;
  bool accepted = true;
  for (int i = 0; i < 10'000 && accepted; ++i)
    accepted = schedule.add(i % 2 == 0 ? "start 5" : "stop 6", 0);
  CHECK_FALSE(accepted);
}

}  // namespace
}  // namespace stallscope::count
