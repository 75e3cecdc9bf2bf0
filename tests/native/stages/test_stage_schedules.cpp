// Thousands of random schedules, compared with a simple model: a list of queues.
#include <doctest/doctest.h>

#include <algorithm>
#include <array>
#include <deque>
#include <memory>
#include <numeric>
#include <random>
#include <string>

#include "hand_driven_scheduler.hpp"
#include "long_tests.hpp"
#include "recording_stage.hpp"

using namespace stallscope::stages;

namespace {

constexpr int max_numbers = 60;

// Invariants of a chain of stages: every call passes each stage once, in order.
struct chain {
  chain(std::mt19937& random, std::size_t length, stage_settings settings)
      : registry(scheduler, settings), records(length) {
    for (std::size_t i = 0; i < length; ++i) {
      const bool throws_here = random() % 4 == 0;
      handlers.push_back(number_handler{
          &records[i], [this, i, throws_here](int number) { pass_on(i, number, throws_here); }});
    }
    for (std::size_t i = 0; i < length; ++i) {
      stages.push_back(
          std::make_unique<number_stage>(registry, "s" + std::to_string(i), handlers[i]));
    }
  }

  void pass_on(std::size_t stage, int number, bool throws_here) {
    within_itself += active[stage]++;
    if (stage + 1 < stages.size()) {
      stages[stage + 1]->enqueue(number);
    }
    --active[stage];
    if (throws_here && number % 7 == 0) {
      throw std::runtime_error("seven");
    }
  }

  hand_driven_scheduler scheduler;
  stage_registry registry;
  std::vector<number_record> records;
  std::vector<number_handler> handlers;
  std::vector<std::unique_ptr<number_stage>> stages;
  std::array<int, 8> active{};
  int within_itself = 0;
};

void check_bounds(const chain& c, std::size_t queue_limit) {
  CHECK(std::ranges::all_of(c.stages,
                            [&](const auto& stage) { return stage->queued() <= queue_limit; }));
}

void check_end(const chain& c, int made, const stage_settings& settings) {
  CHECK(c.within_itself == 0);
  for (std::size_t i = 0; i < c.stages.size(); ++i) {
    std::vector<int> expected(static_cast<std::size_t>(made));
    std::iota(expected.begin(), expected.end(), 0);
    CHECK(c.records[i].run == expected);
    const auto counts = c.stages[i]->counts();
    CHECK(counts.calls_enqueued == static_cast<std::uint64_t>(made));
    CHECK(counts.calls_executed == static_cast<std::uint64_t>(made));
    CHECK(counts.calls_failed == c.records[i].failed.size());
    CHECK(counts.tasks_preempted <= counts.tasks_scheduled);
    CHECK(std::accumulate(counts.delays.begin(), counts.delays.end(), std::uint64_t{0}) ==
          static_cast<std::uint64_t>(made));
    if (settings.max_batch == 1) {
      CHECK(counts.batches[0] == static_cast<std::uint64_t>(made));
    }
  }
}

void run_schedule(unsigned seed) {
  CAPTURE(seed);
  std::mt19937 random(seed);
  const auto up_to = [&random](std::size_t most) { return 1 + random() % most; };
  const stage_settings settings{.max_batch = up_to(6), .queue_limit = up_to(8)};
  chain c(random, up_to(5), settings);
  int made = 0;
  while (made < max_numbers) {
    c.scheduler.allow(random() % 5);
    switch (random() % 4) {
      case 0:
      case 1:
        for (auto burst = up_to(6); burst != 0 && made < max_numbers; --burst) {
          c.stages[0]->enqueue(made++);
        }
        break;
      case 2:
        c.scheduler.tick(up_to(9));
        break;
      default:
        c.scheduler.advance(std::chrono::nanoseconds(random() % 1000));
    }
    check_bounds(c, settings.queue_limit);
  }
  if (random() % 2 == 0) {
    c.scheduler.run_all();
  }
  c.registry.drain();
  check_end(c, made, settings);
  c.scheduler.run_all();
}

}  // namespace

TEST_CASE("in any schedule every call passes every stage once, in order, within the limits") {
  for (int seed = 1; seed <= long_tests(1000, 30'000); ++seed) {
    run_schedule(static_cast<unsigned>(seed));
  }
}

// The model of one stage, tick by tick: the calls that each task must run.
TEST_CASE("a single stage behaves like a plain queue at every tick") {
  for (int seed = 1; seed <= long_tests(700, 20'000); ++seed) {
    CAPTURE(seed);
    std::mt19937 random(static_cast<unsigned>(seed));
    const stage_settings settings{.max_batch = 2 + random() % 6, .queue_limit = 1 + random() % 8};
    hand_driven_scheduler scheduler;
    stage_registry registry(scheduler, settings);
    number_record record;
    number_stage stage{registry, "only", number_handler{&record}};
    std::deque<int> model;
    std::vector<int> expected;
    bool as_model = true;
    const auto model_runs = [&](std::size_t most) {
      for (; most != 0 && !model.empty(); --most) {
        expected.push_back(model.front());
        model.pop_front();
      }
    };
    for (int number = 0; number < 40; ++number) {
      const auto quota = 1 + random() % 9;
      if (random() % 3 == 0 && scheduler.tick(quota)) {
        model_runs(std::min<std::size_t>(quota, settings.max_batch));
      }
      scheduler.allow(quota);
      if (model.size() >= settings.queue_limit) {
        model_runs(quota);
      }
      model.push_back(number);
      stage.enqueue(number);
      as_model = as_model && record.run == expected && stage.queued() == model.size();
    }
    CHECK(as_model);
    scheduler.run_all();
  }
}
