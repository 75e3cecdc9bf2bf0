// Known answer of an open loop: one connection, 1,000 requests per second for ten seconds, 0.1 ms
// of service, and one stall of one second. The scheduler is that of the loader; clock and server
// are simulated, so the result is exact.
#include <doctest/doctest.h>

#include <algorithm>

#include "load/measurements.hpp"

using namespace stallscope::load;

namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t stall_begin = 3'000 * ms;
constexpr std::uint64_t stall_end = 4'000 * ms;
constexpr std::uint64_t service = ms / 10;

// Completion time at a server that serves requests one at a time and not during the stall.
std::uint64_t answer_of(std::uint64_t sent_ns) {
  const std::uint64_t done = sent_ns + service;
  return done > stall_begin && sent_ns < stall_end ? stall_end + service : done;
}

measurements simulate(const schedule& plan) {
  measurements values;
  request_scheduler scheduler(plan, 1, 0);
  scheduler.connection_up(0, 0);
  std::uint64_t now = 0;
  std::uint64_t answer = never_ns;
  while (!scheduler.finished(now)) {
    now = std::max(now, std::min(scheduler.next_due_ns(), answer));
    if (answer <= now) {
      const auto request = scheduler.answered(0, now);
      REQUIRE(request);
      values.record(*request, now);
      answer = never_ns;
    }
    if (scheduler.take(now)) answer = answer_of(now);
    if (answer == never_ns && scheduler.next_due_ns() == never_ns) now = scheduler.end_ns();
  }
  return values;
}

double at_ms(const stallscope::histogram::histogram& values, double percentile) {
  return static_cast<double>(values.value_at_percentile(percentile)) / ms;
}

}  // namespace

TEST_CASE("an open loop counts all requests delayed by a stall") {
  schedule plan;
  plan.rate_per_s = 1'000;
  plan.arrivals = arrival_process::fixed;
  plan.max_requests = 10'000;
  plan.duration_ns = 100 * second_ns;
  const measurements values = simulate(plan);
  CHECK(values.requests == 10'000);
  CHECK(at_ms(values.intended, 90) == doctest::Approx(100).epsilon(0.01));
  CHECK(at_ms(values.intended, 95) == doctest::Approx(550).epsilon(0.01));
  CHECK(at_ms(values.intended, 99) == doctest::Approx(910).epsilon(0.01));
  CHECK(at_ms(values.intended, 50) == doctest::Approx(0.1).epsilon(0.01));
  CHECK(at_ms(values.intended, 100) == doctest::Approx(1'000).epsilon(0.01));
  // Only one request was in flight during the stall: service time misses the others.
  CHECK(at_ms(values.service, 99.9) == doctest::Approx(0.1).epsilon(0.01));
  CHECK(at_ms(values.service, 100) == doctest::Approx(1'000).epsilon(0.01));
  // The lag is that of the target: a due request was sent whenever a slot was free.
  CHECK(at_ms(values.lag, 99) == doctest::Approx(910).epsilon(0.01));
  CHECK(values.own_lag.max() == 0);
}

TEST_CASE("a closed loop omits the stall, and the correction restores it") {
  schedule plan;
  plan.think_ns = ms - service;
  plan.max_requests = 9'001;
  plan.duration_ns = 100 * second_ns;
  const measurements values = simulate(plan);
  CHECK(at_ms(values.intended, 99.9) == doctest::Approx(0.1).epsilon(0.01));
  const auto corrected = values.intended.corrected(ms);
  CHECK(at_ms(corrected, 95) == doctest::Approx(500).epsilon(0.02));
  CHECK(at_ms(corrected, 99) == doctest::Approx(900).epsilon(0.02));
}
