#include <doctest/doctest.h>

#include <memory>
#include <numeric>

#include "hand_driven_scheduler.hpp"
#include "recording_stage.hpp"

using namespace stallscope::stages;
using namespace std::chrono_literals;

namespace {

struct bench {
  explicit bench(stage_settings settings = {}) : registry(scheduler, settings) {}
  bench(const bench&) = delete;
  bench& operator=(const bench&) = delete;
  ~bench() { scheduler.run_all(); }

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

TEST_CASE("calls wait for the task and run in one batch, in their order") {
  bench b;
  b.enqueue(1, 5);
  CHECK(b.record.run.empty());
  CHECK(b.stage.queued() == 5);
  CHECK(b.scheduler.scheduled() == 1);
  CHECK(b.scheduler.tick());
  CHECK(b.record.run == numbers(1, 5));
  CHECK_FALSE(b.scheduler.tick());
  const auto counts = b.stage.counts();
  CHECK(counts.name == "numbers");
  CHECK(counts.calls_enqueued == 5);
  CHECK(counts.calls_executed == 5);
  CHECK(counts.tasks_scheduled == 1);
  CHECK(counts.tasks_preempted == 0);
  CHECK(counts.batches[2] == 1);
  CHECK(counts.average_batch() == 5.0);
}

TEST_CASE("the quota ends a task after the call that used it up, and the rest waits for the next") {
  bench b;
  b.enqueue(1, 5);
  CHECK(b.scheduler.tick(2));
  CHECK(b.record.run == numbers(1, 2));
  CHECK(b.stage.queued() == 3);
  b.stage.enqueue(6);
  CHECK(b.scheduler.scheduled() == 1);
  CHECK(b.scheduler.tick(1));
  CHECK(b.record.run == numbers(1, 3));
  CHECK(b.scheduler.tick());
  CHECK(b.record.run == numbers(1, 6));
  CHECK(b.stage.counts().tasks_scheduled == 3);
  CHECK(b.stage.counts().tasks_preempted == 2);
}

TEST_CASE("a task whose last call used up the quota was not preempted") {
  bench b;
  b.enqueue(1, 2);
  CHECK(b.scheduler.tick(2));
  CHECK(b.stage.counts().tasks_preempted == 0);
  CHECK(b.scheduler.scheduled() == 0);
}

TEST_CASE("what a preempted task left runs behind the tasks that were scheduled before") {
  bench b;
  number_stage other{b.registry, "other", number_handler{&b.record}};
  b.enqueue(1, 2);
  other.enqueue(10);
  CHECK(b.scheduler.tick(1));
  b.scheduler.run_all();
  CHECK(b.record.run == std::vector{1, 10, 2});
}

TEST_CASE("a task runs max_batch calls at most, and the next stage runs in between") {
  bench b({.max_batch = 2});
  number_stage second{b.registry, "second", number_handler{&b.record}};
  number_stage first{b.registry, "first",
                     number_handler{&b.record, [&](int number) { second.enqueue(number * 10); }}};
  for (int number = 1; number <= 3; ++number) {
    first.enqueue(number);
  }
  b.scheduler.run_all();
  CHECK(b.record.run == std::vector{1, 2, 10, 20, 3, 30});
  CHECK(first.counts().tasks_scheduled == 2);
  CHECK(first.counts().tasks_preempted == 0);
}

TEST_CASE("with a max_batch of 1 calls run at once, without a task") {
  bench b({.max_batch = 1});
  b.stage.enqueue(1);
  CHECK(b.record.run == numbers(1, 1));
  CHECK(b.scheduler.scheduled() == 0);
  b.stage.enqueue(-2);
  REQUIRE(b.record.failed.size() == 1);
  CHECK(b.stage.counts().batches[0] == 2);
  CHECK(b.stage.counts().average_batch() == 1.0);
}

TEST_CASE("with a max_batch of 1 a call that its own stage makes waits until the stage is done") {
  bench b({.max_batch = 1});
  number_stage* self = nullptr;
  number_stage stage{b.registry, "self", number_handler{&b.record, [&](int number) {
                                                          if (number == 1) {
                                                            self->enqueue(2);
                                                            b.record.run.push_back(100);
                                                          }
                                                        }}};
  self = &stage;
  stage.enqueue(1);
  CHECK(b.record.run == std::vector{1, 100});
  stage.enqueue(3);  // behind the one that waits
  b.scheduler.run_all();
  CHECK(b.record.run == std::vector{1, 100, 2, 3});
}

TEST_CASE("a call that finds the queue at its limit runs what is queued first") {
  bench b({.queue_limit = 4});
  b.enqueue(1, 4);
  CHECK(b.record.run.empty());
  b.stage.enqueue(5);
  CHECK(b.record.run == numbers(1, 4));
  CHECK(b.stage.queued() == 1);
  CHECK(b.stage.counts().inline_flushes == 1);
  CHECK(b.scheduler.scheduled() == 1);
  b.scheduler.run_all();
  CHECK(b.record.run == numbers(1, 5));
}

TEST_CASE("an inline flush runs one call at least and no more than the quota allows") {
  bench b({.queue_limit = 4});
  b.enqueue(1, 4);
  b.scheduler.allow(0);
  b.stage.enqueue(5);
  CHECK(b.record.run == numbers(1, 1));
  CHECK(b.stage.queued() == 4);
  b.stage.enqueue(6);
  CHECK(b.record.run == numbers(1, 2));
  CHECK(b.stage.queued() == 4);
  CHECK(b.stage.counts().inline_flushes == 2);
}

TEST_CASE("a stage's own function may enqueue beyond the limit, and nothing runs within it") {
  bench b({.queue_limit = 2});
  number_stage* self = nullptr;
  number_stage stage{b.registry, "self", number_handler{&b.record, [&](int number) {
                                                          for (int more = 1;
                                                               number == 0 && more <= 9; ++more) {
                                                            self->enqueue(more);
                                                          }
                                                        }}};
  self = &stage;
  stage.enqueue(0);
  b.scheduler.tick(1);
  CHECK(b.record.run == numbers(0, 0));
  CHECK(stage.queued() == 9);
  b.scheduler.run_all();
  CHECK(b.record.run == numbers(0, 9));
}

TEST_CASE("what a call throws reaches its maker, before the next call runs") {
  bench b;
  b.stage.enqueue(1);
  b.stage.enqueue(-2);
  b.stage.enqueue(3);
  b.scheduler.run_all();
  CHECK(b.record.run == std::vector{1, 3});
  REQUIRE(b.record.failed.size() == 1);
  CHECK(b.record.failed[0] == std::pair{-2, std::string("no -2")});
  CHECK(b.stage.counts().calls_executed == 3);
  CHECK(b.stage.counts().calls_failed == 1);
}

TEST_CASE("the queueing delay is from the scheduler's clock at enqueueing to that of the batch") {
  bench b;
  b.scheduler.advance(1us);
  b.stage.enqueue(1);
  b.scheduler.advance(100ns);
  b.stage.enqueue(2);
  b.scheduler.advance(900ns);
  b.scheduler.tick();
  b.stage.enqueue(3);
  b.scheduler.tick();
  const auto counts = b.stage.counts();
  CHECK(counts.delays[0] == 1);   // the third: 0
  CHECK(counts.delays[10] == 2);  // 1000 and 900: 512 to 1023 ns
  CHECK(counts.delay_percentile_ns(0.3) == 0);
  CHECK(counts.delay_percentile_ns(0.99) == 1023);
}

TEST_CASE("draining runs everything, whatever the quota says, and a pending task finds nothing") {
  bench b;
  b.enqueue(1, 3);
  b.scheduler.allow(0);
  b.registry.run_queued(0, 2);
  CHECK(b.record.run == numbers(1, 2));
  b.registry.drain();
  CHECK(b.record.run == numbers(1, 3));
  CHECK(b.stage.counts().tasks_preempted == 0);
  CHECK(b.scheduler.tick());
  CHECK_FALSE(b.scheduler.tick());
  CHECK(b.stage.counts().batches[0] == 3);
}

TEST_CASE("calls that own what they carry are moved through and destroyed once") {
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

TEST_CASE("a call that is alone is a batch of one, without a task") {
  bench b;
  b.stage.run_alone([&]() noexcept {
    b.enqueue(7, 7);  // a call that the stage's own function makes waits
    CHECK(b.record.run.empty());
    return true;
  });
  b.stage.run_alone([]() noexcept { return false; });
  b.scheduler.run_all();
  CHECK(b.record.run == numbers(7, 7));
  const auto counts = b.stage.counts();
  CHECK(counts.calls_enqueued == 3);
  CHECK(counts.calls_executed == 3);
  CHECK(counts.calls_failed == 1);
  CHECK(counts.tasks_scheduled == 1);
  CHECK(counts.batches_run() == 3);
  CHECK(counts.batches[0] == 3);
  CHECK(counts.delays[0] == 3);
}
