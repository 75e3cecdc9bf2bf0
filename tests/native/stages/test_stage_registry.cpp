#include <doctest/doctest.h>

#include <stdexcept>

#include "hand_driven_scheduler.hpp"
#include "recording_stage.hpp"
#include "stages/batch_log.hpp"

using namespace stallscope::stages;

TEST_CASE("a name is unique, and reusable after its stage is destroyed") {
  hand_driven_scheduler scheduler;
  stage_registry registry(scheduler);
  number_record record;
  {
    const number_stage parse{registry, "parse", number_handler{&record}};
    CHECK_THROWS_WITH_AS((number_stage{registry, "parse", number_handler{&record}}),
                         "there is a stage \"parse\" already", std::invalid_argument);
    CHECK(registry.names() == std::vector<std::string>{"parse"});
  }
  CHECK(registry.names().empty());
  const number_stage again{registry, "parse", number_handler{&record}};
  CHECK(registry.counts().size() == 1);
}

TEST_CASE("names that INFO or a metrics label cannot contain are rejected") {
  hand_driven_scheduler scheduler;
  stage_registry registry(scheduler);
  number_record record;
  for (const auto* name : {"", "a b", "a\r\n", "a=1", "Parse", "a\"", "\xc3\xa9"}) {
    CHECK_THROWS_AS((number_stage{registry, name, number_handler{&record}}), std::invalid_argument);
  }
}

TEST_CASE("a stage without room for a call is rejected") {
  hand_driven_scheduler scheduler;
  CHECK_THROWS_AS(stage_registry(scheduler, {.max_batch = 0}), std::invalid_argument);
  CHECK_THROWS_AS(stage_registry(scheduler, {.queue_limit = 0}), std::invalid_argument);
}

TEST_CASE("drain() runs chains of stages in any direction") {
  hand_driven_scheduler scheduler;
  stage_registry registry(scheduler);
  number_record record;
  number_stage last{registry, "last", number_handler{&record}};
  number_stage first{registry, "first",
                     number_handler{&record, [&](int number) { last.enqueue(-number); }}};
  for (int number = 1; number <= 3; ++number) {
    first.enqueue(number);
  }
  CHECK_FALSE(registry.idle());
  registry.drain();
  CHECK(registry.idle());
  CHECK(record.run == std::vector{1, 2, 3});
  CHECK(record.failed.size() == 3);
  scheduler.run_all();
}

TEST_CASE("every batch is logged with the number of its stage") {
  hand_driven_scheduler scheduler;
  batch_log log;
  stage_registry registry(scheduler, {}, &log);
  number_record record;
  number_stage second{registry, "a", number_handler{&record}};
  number_stage first{registry, "b",
                     number_handler{&record, [&](int number) { second.enqueue(number); }}};
  for (int number = 1; number <= 3; ++number) {
    first.enqueue(number);
  }
  scheduler.tick(2);
  scheduler.run_all();
  CHECK(log.recorded() == std::vector<batch>{{1, 2}, {0, 2}, {1, 1}, {0, 1}});
}

TEST_CASE("a percentile is the largest value of its bucket") {
  stage_tally tally;
  stage_counts none = tally.counts("none");
  CHECK(none.batch_percentile(0.5) == 0);
  CHECK(none.delay_percentile_ns(0.99) == 0);
  CHECK(none.average_batch() == 0.0);
  for (const std::uint64_t calls : {1, 1, 2, 3, 5000}) {
    tally.batch(calls);
  }
  const auto counts = tally.counts("some");
  CHECK(counts.batch_percentile(0.0) == 1);
  CHECK(counts.batch_percentile(0.4) == 1);
  CHECK(counts.batch_percentile(0.5) == 3);
  CHECK(counts.batch_percentile(1.0) == 1024);
  tally.delay(INT64_MAX, 1);
  CHECK(tally.counts("some").delay_percentile_ns(0.5) == std::uint64_t{1} << 38U);
}
