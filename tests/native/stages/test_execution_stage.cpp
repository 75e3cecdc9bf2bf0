#include <doctest/doctest.h>

#include <memory>
#include <numeric>

#include "hand_driven_scheduler.hpp"
#include "recording_stage.hpp"

using namespace stallscope::stages;
using namespace std::chrono_literals;

namespace {

struct stage_fixture {
  explicit stage_fixture(stage_settings settings = {}) : registry(scheduler, settings) {}
  stage_fixture(const stage_fixture&) = delete;
  stage_fixture& operator=(const stage_fixture&) = delete;
  ~stage_fixture() { scheduler.run_all(); }

  void enqueue(int first, int last) {
    for (int number = first; number <= last; ++number) {
      stage.enqueue(number);
    }
  }

  hand_driven_scheduler scheduler;
  stage_registry registry;
  number_record record;
  number_stage stage{registry, "numbers", number_handler{&record}};
};

std::vector<int> numbers(int first, int last) {
  std::vector<int> all(static_cast<std::size_t>(last - first + 1));
  std::iota(all.begin(), all.end(), first);
  return all;
}

}  // namespace

TEST_CASE("calls wait for the task and run in one batch, in order") {
  stage_fixture fixture;
  fixture.enqueue(1, 5);
  CHECK(fixture.record.run.empty());
  CHECK(fixture.stage.queued() == 5);
  CHECK(fixture.scheduler.scheduled() == 1);
  CHECK(fixture.scheduler.tick());
  CHECK(fixture.record.run == numbers(1, 5));
  CHECK_FALSE(fixture.scheduler.tick());
  const auto counts = fixture.stage.counts();
  CHECK(counts.name == "numbers");
  CHECK(counts.calls_enqueued == 5);
  CHECK(counts.calls_executed == 5);
  CHECK(counts.tasks_scheduled == 1);
  CHECK(counts.tasks_preempted == 0);
  CHECK(counts.batches[2] == 1);
  CHECK(counts.average_batch() == 5.0);
}

TEST_CASE("a task stops after the call that used up the quota, and the rest waits") {
  stage_fixture fixture;
  fixture.enqueue(1, 5);
  CHECK(fixture.scheduler.tick(2));
  CHECK(fixture.record.run == numbers(1, 2));
  CHECK(fixture.stage.queued() == 3);
  fixture.stage.enqueue(6);
  CHECK(fixture.scheduler.scheduled() == 1);
  CHECK(fixture.scheduler.tick(1));
  CHECK(fixture.record.run == numbers(1, 3));
  CHECK(fixture.scheduler.tick());
  CHECK(fixture.record.run == numbers(1, 6));
  CHECK(fixture.stage.counts().tasks_scheduled == 3);
  CHECK(fixture.stage.counts().tasks_preempted == 2);
}

TEST_CASE("a task whose last call used up the quota was not preempted") {
  stage_fixture fixture;
  fixture.enqueue(1, 2);
  CHECK(fixture.scheduler.tick(2));
  CHECK(fixture.stage.counts().tasks_preempted == 0);
  CHECK(fixture.scheduler.scheduled() == 0);
}

TEST_CASE("the rest of a preempted task runs after the tasks scheduled before") {
  stage_fixture fixture;
  number_stage other{fixture.registry, "other", number_handler{&fixture.record}};
  fixture.enqueue(1, 2);
  other.enqueue(10);
  CHECK(fixture.scheduler.tick(1));
  fixture.scheduler.run_all();
  CHECK(fixture.record.run == std::vector{1, 10, 2});
}

TEST_CASE("a task runs max_batch calls at most, and the next stage runs in between") {
  stage_fixture fixture({.max_batch = 2});
  number_stage second{fixture.registry, "second", number_handler{&fixture.record}};
  number_stage first{fixture.registry, "first", number_handler{&fixture.record, [&](int number) {
                                                                 second.enqueue(number * 10);
                                                               }}};
  for (int number = 1; number <= 3; ++number) {
    first.enqueue(number);
  }
  fixture.scheduler.run_all();
  CHECK(fixture.record.run == std::vector{1, 2, 10, 20, 3, 30});
  CHECK(first.counts().tasks_scheduled == 2);
  CHECK(first.counts().tasks_preempted == 0);
}

TEST_CASE("with a max_batch of 1 calls run at once, without a task") {
  stage_fixture fixture({.max_batch = 1});
  fixture.stage.enqueue(1);
  CHECK(fixture.record.run == numbers(1, 1));
  CHECK(fixture.scheduler.scheduled() == 0);
  fixture.stage.enqueue(-2);
  REQUIRE(fixture.record.failed.size() == 1);
  CHECK(fixture.stage.counts().batches[0] == 2);
  CHECK(fixture.stage.counts().average_batch() == 1.0);
}

TEST_CASE("with a max_batch of 1 a call made by its own stage waits until the stage is done") {
  stage_fixture fixture({.max_batch = 1});
  number_stage* self = nullptr;
  number_stage stage{fixture.registry, "self", number_handler{&fixture.record, [&](int number) {
                                                                if (number == 1) {
                                                                  self->enqueue(2);
                                                                  fixture.record.run.push_back(100);
                                                                }
                                                              }}};
  self = &stage;
  stage.enqueue(1);
  CHECK(fixture.record.run == std::vector{1, 100});
  stage.enqueue(3);  // behind the one that waits
  fixture.scheduler.run_all();
  CHECK(fixture.record.run == std::vector{1, 100, 2, 3});
}

TEST_CASE("a call that finds the queue at its limit first runs queued calls") {
  stage_fixture fixture({.queue_limit = 4});
  fixture.enqueue(1, 4);
  CHECK(fixture.record.run.empty());
  fixture.stage.enqueue(5);
  CHECK(fixture.record.run == numbers(1, 4));
  CHECK(fixture.stage.queued() == 1);
  CHECK(fixture.stage.counts().inline_flushes == 1);
  CHECK(fixture.scheduler.scheduled() == 1);
  fixture.scheduler.run_all();
  CHECK(fixture.record.run == numbers(1, 5));
}

TEST_CASE("an inline flush runs at least one call and respects the quota") {
  stage_fixture fixture({.queue_limit = 4});
  fixture.enqueue(1, 4);
  fixture.scheduler.allow(0);
  fixture.stage.enqueue(5);
  CHECK(fixture.record.run == numbers(1, 1));
  CHECK(fixture.stage.queued() == 4);
  fixture.stage.enqueue(6);
  CHECK(fixture.record.run == numbers(1, 2));
  CHECK(fixture.stage.queued() == 4);
  CHECK(fixture.stage.counts().inline_flushes == 2);
}

TEST_CASE("the function of a stage may enqueue beyond the limit, and nothing runs inside it") {
  stage_fixture fixture({.queue_limit = 2});
  number_stage* self = nullptr;
  number_stage stage{fixture.registry, "self",
                     number_handler{&fixture.record, [&](int number) {
                                      for (int more = 1; number == 0 && more <= 9; ++more) {
                                        self->enqueue(more);
                                      }
                                    }}};
  self = &stage;
  stage.enqueue(0);
  fixture.scheduler.tick(1);
  CHECK(fixture.record.run == numbers(0, 0));
  CHECK(stage.queued() == 9);
  fixture.scheduler.run_all();
  CHECK(fixture.record.run == numbers(0, 9));
}

TEST_CASE("an exception of a call is reported before the next call runs") {
  stage_fixture fixture;
  fixture.stage.enqueue(1);
  fixture.stage.enqueue(-2);
  fixture.stage.enqueue(3);
  fixture.scheduler.run_all();
  CHECK(fixture.record.run == std::vector{1, 3});
  REQUIRE(fixture.record.failed.size() == 1);
  CHECK(fixture.record.failed[0] == std::pair{-2, std::string("no -2")});
  CHECK(fixture.stage.counts().calls_executed == 3);
  CHECK(fixture.stage.counts().calls_failed == 1);
}

TEST_CASE("the queueing delay is measured with the scheduler clock, from enqueue to batch") {
  stage_fixture fixture;
  fixture.scheduler.advance(1us);
  fixture.stage.enqueue(1);
  fixture.scheduler.advance(100ns);
  fixture.stage.enqueue(2);
  fixture.scheduler.advance(900ns);
  fixture.scheduler.tick();
  fixture.stage.enqueue(3);
  fixture.scheduler.tick();
  const auto counts = fixture.stage.counts();
  CHECK(counts.delays[0] == 1);   // the third: 0
  CHECK(counts.delays[10] == 2);  // 1000 and 900: 512 to 1023 ns
  CHECK(counts.delay_percentile_ns(0.3) == 0);
  CHECK(counts.delay_percentile_ns(0.99) == 1023);
}

TEST_CASE("drain() ignores the quota, and a pending task then finds nothing") {
  stage_fixture fixture;
  fixture.enqueue(1, 3);
  fixture.scheduler.allow(0);
  fixture.registry.run_queued(0, 2);
  CHECK(fixture.record.run == numbers(1, 2));
  fixture.registry.drain();
  CHECK(fixture.record.run == numbers(1, 3));
  CHECK(fixture.stage.counts().tasks_preempted == 0);
  CHECK(fixture.scheduler.tick());
  CHECK_FALSE(fixture.scheduler.tick());
  CHECK(fixture.stage.counts().batches[0] == 3);
}

TEST_CASE("calls that own resources are moved and destroyed once") {
  struct owning_handler {
    using call = std::shared_ptr<int>;
    std::vector<int>* seen;
    void run(call& c) const { seen->push_back(*c); }
    void failed(call& /*c*/, const std::exception_ptr& /*thrown*/) const noexcept {}
  };
  hand_driven_scheduler scheduler;
  stage_registry registry(scheduler);
  std::vector<int> seen;
  execution_stage<owning_handler> stage{registry, "owning", owning_handler{&seen}};
  const auto carried = std::make_shared<int>(7);
  stage.enqueue(carried);
  CHECK(carried.use_count() == 2);
  scheduler.run_all();
  CHECK(seen == std::vector{7});
  CHECK(carried.use_count() == 1);
}

TEST_CASE("run_single() is a batch of one, without a task") {
  stage_fixture fixture;
  fixture.stage.run_single([&]() noexcept {
    fixture.enqueue(7, 7);  // a call that the stage's own function makes waits
    CHECK(fixture.record.run.empty());
    return true;
  });
  fixture.stage.run_single([]() noexcept { return false; });
  fixture.scheduler.run_all();
  CHECK(fixture.record.run == numbers(7, 7));
  const auto counts = fixture.stage.counts();
  CHECK(counts.calls_enqueued == 3);
  CHECK(counts.calls_executed == 3);
  CHECK(counts.calls_failed == 1);
  CHECK(counts.tasks_scheduled == 1);
  CHECK(counts.batches_run() == 3);
  CHECK(counts.batches[0] == 3);
  CHECK(counts.delays[0] == 3);
}
