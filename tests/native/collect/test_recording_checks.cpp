#include <doctest/doctest.h>

#include "collect/recording_checks.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

// 1000 samples of 1 ms, and a counter of 1 s.
recording_facts facts_of_a_second() {
  recording_facts facts;
  facts.choice.event = perf_events::cpu_clock();
  facts.choice.how.period = 1'000'000;
  facts.choice.attribute = perf_events::sampling_attribute(facts.choice.event, facts.choice.how);
  facts.counts.samples = 1000;
  facts.counts.periods = 1'000'000'000;
  facts.counter = perf_events::event_reading{1'000'000'000, 1'000'000'000, 1'000'000'000, 0};
  return facts;
}

}  // namespace

TEST_CASE("samples that add up to the counter give no warning") {
  auto facts = facts_of_a_second();
  CHECK_FALSE(check_against_counter(facts));
  facts.counts.periods = 900'000'000;
  CHECK(check_against_counter(facts)->code == "samples-short-of-counter");
  facts.lost_samples = 100;
  CHECK_FALSE(check_against_counter(facts));
  facts.counter.reset();
  CHECK_FALSE(check_against_counter(facts));
}

TEST_CASE("a short recording is not compared with its counter") {
  auto facts = facts_of_a_second();
  facts.counts.periods = 0;
  facts.counter->value = 199'000'000;
  CHECK_FALSE(check_against_counter(facts));
}

TEST_CASE("an event that was not counted all the time is reported as shared") {
  auto facts = facts_of_a_second();
  facts.choice.attribute.type = PERF_TYPE_HARDWARE;
  CHECK_FALSE(check_counter_was_shared(facts, 1));
  facts.counter->running_ns = 500'000'000;
  CHECK(check_counter_was_shared(facts, 1)->code == "counter-shared");
  CHECK_FALSE(check_counter_was_shared(facts, 2));  // a thread runs on one of two CPUs
  facts.choice.attribute.type = PERF_TYPE_SOFTWARE;
  CHECK_FALSE(check_counter_was_shared(facts, 1));
}

TEST_CASE("programs of other users are named") {
  CHECK_FALSE(check_programs_of_others({}));
  CHECK(check_programs_of_others({"su", "sudo"})->message.find("start: su, sudo;") !=
        std::string::npos);
}
