#include "memory/chase.hpp"

#include <doctest/doctest.h>
#include <sched.h>

#include <system_error>

using namespace stallscope::memory;

namespace {

constexpr measurement_pace brief{.repeats = 3, .repeat_ns = 100'000, .settle_ns = 0};

std::vector<int> own_cpus(std::size_t most) {
  cpu_set_t set;
  CPU_ZERO(&set);
  sched_getaffinity(0, sizeof set, &set);
  std::vector<int> cpus;
  for (int cpu = 0; cpu < CPU_SETSIZE && cpus.size() < most; ++cpu) {
    if (CPU_ISSET(static_cast<unsigned>(cpu), &set)) cpus.push_back(cpu);
  }
  return cpus;
}

}  // namespace

TEST_CASE("each thread reports every repeat") {
  const std::vector<int> cpus = own_cpus(2);
  const auto threads = measure({.lines = 64, .stride_bytes = 64, .cpus = cpus}, brief);
  REQUIRE(threads.size() == cpus.size());
  for (const thread_chase& thread : threads) {
    REQUIRE(thread.latency_ns.size() == 3);
    for (const double latency : thread.latency_ns) CHECK(latency > 0);
    CHECK(thread.steps >= 1024);
    CHECK(thread.pages.kind == "small");
    for (std::size_t i = 0; i < counter_count; ++i) {
      CHECK_FALSE((thread.counts_per_step[i].has_value() && thread.counter_refusals[i] != 0));
    }
  }
}

TEST_CASE("lines stand at the stride, to the last") {
  const auto threads = measure({.lines = 3, .stride_bytes = 4160, .cpus = own_cpus(1)}, brief);
  CHECK(threads.front().latency_ns.size() == 3);
}

TEST_CASE("threads may take turns on one CPU") {
  const int cpu = own_cpus(1).front();
  CHECK(measure({.lines = 2, .stride_bytes = 64, .cpus = {cpu, cpu, cpu}}, brief).size() == 3);
}

TEST_CASE("where one thread cannot have its CPU or node, none waits for it") {
  const int cpu = own_cpus(1).front();
  CHECK_THROWS_WITH_AS(measure({.lines = 64, .stride_bytes = 64, .cpus = {cpu, 1023}}, brief),
                       doctest::Contains("CPU 1023"), std::system_error);
  CHECK_THROWS_AS(measure({.lines = 64, .stride_bytes = 64, .node = 1023, .cpus = {cpu}}, brief),
                  std::system_error);
}
