#include "kernels/waiting/thread_times.hpp"

#include <doctest/doctest.h>

using namespace stallscope::kernels;

TEST_CASE("a wait of a thread without an account is not measured") {
  thread_times times;
  { const timed_wait wait{times, wait_state::sleep}; }
  CHECK(times.waits() == 1);
  CHECK(times.readings().size() == 1);
}

TEST_CASE("the readings of an account begin at its begin and end at its end") {
  thread_times times;
  times.begin("worker");
  times.update();
  const auto readings = times.readings();
  REQUIRE(readings.size() >= 2);
  CHECK(readings.back().at_ns - readings.front().at_ns == times.wall_ns());
  CHECK(readings.back().running_ns == times.running_ns());
}
