#include "memory/chase.hpp"

#include <doctest/doctest.h>
#include <sched.h>

#include <system_error>

using namespace stallscope::memory;

namespace {

constexpr measurement_pace short_pace{.repeats = 3, .repeat_ns = 100'000, .settle_ns = 0};

std::vector<int> allowed_cpus(std::size_t max_count) {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < max_count; ++cpu) {
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

std::vector<thread_chase> measure(const chase_point& point, const measurement_pace& pace) {
  return stallscope::memory::measure(point, pace, default_events());
}

}  // namespace

TEST_CASE("software events are counted without a PMU, and orders are walked") {
  for (const auto order : {chase_order::random, chase_order::ascending, chase_order::prefetched}) {
    const std::vector events{stallscope::perf_events::find_event("task-clock"),
                             stallscope::perf_events::find_event("page-faults")};
    const auto threads = stallscope::memory::measure(
        {.lines = 17, .stride_bytes = 256, .order = order, .cpus = allowed_cpus(1)}, short_pace,
        events);
    const auto& counts = threads.front().counts_per_step;
    REQUIRE(counts.size() == 2);
    CHECK(counts[0].name == "task-clock");
    CHECK(counts[0].count.value_or(0) > 0);
    CHECK(counts[0].refusal == 0);
  }
}

TEST_CASE("every thread reports all repeats") {
  const std::vector<int> cpus = allowed_cpus(2);
  const auto threads = measure({.lines = 64, .stride_bytes = 64, .cpus = cpus}, short_pace);
  REQUIRE(threads.size() == cpus.size());
  for (const thread_chase& thread : threads) {
    REQUIRE(thread.latency_ns.size() == 3);
    for (const double latency : thread.latency_ns) CHECK(latency > 0);
    CHECK(thread.steps >= 1024);
    CHECK(thread.pages.kind == "small");
    CHECK(thread.counts_per_step.size() == default_events().size());
    for (const event_count& event : thread.counts_per_step)
      CHECK_FALSE((event.count.has_value() && event.refusal != 0));
  }
}

TEST_CASE("the ring fits in its memory when the stride is not a power of two") {
  const auto threads =
      measure({.lines = 3, .stride_bytes = 4160, .cpus = allowed_cpus(1)}, short_pace);
  CHECK(threads.front().latency_ns.size() == 3);
}

TEST_CASE("several threads can share one CPU") {
  const int cpu = allowed_cpus(1).front();
  CHECK(measure({.lines = 2, .stride_bytes = 64, .cpus = {cpu, cpu, cpu}}, short_pace).size() == 3);
}

TEST_CASE("measure() throws if a thread cannot be pinned or bound, and does not hang") {
  const int cpu = allowed_cpus(1).front();
  CHECK_THROWS_WITH_AS(measure({.lines = 64, .stride_bytes = 64, .cpus = {cpu, 1023}}, short_pace),
                       doctest::Contains("CPU 1023"), std::system_error);
  CHECK_THROWS_AS(
      measure({.lines = 64, .stride_bytes = 64, .node = 1023, .cpus = {cpu}}, short_pace),
      std::system_error);
}
