#include <doctest/doctest.h>

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

#include "server/paths/path_runner.hpp"
#include "stages/hand_driven_scheduler.hpp"

using namespace stallscope::server;
using stallscope::stages::hand_driven_scheduler;
using stallscope::stages::stage_registry;

namespace {

struct numbered_call : request_call {
  int number = 0;
};

struct collecting_owner final : path_runner::owner {
  void finished(request_call& call) noexcept override {
    auto& numbered = static_cast<numbered_call&>(call);
    ended.push_back(call.error ? -numbered.number : numbered.number);
  }
  std::vector<int> ended;
};

struct step_trace {
  char letter;
  std::string* trace;
  int throws_at;
};

void trace_step(void* context, request_call& call) {
  const auto& own = *static_cast<step_trace*>(context);
  const auto number = static_cast<numbered_call&>(call).number;
  *own.trace += own.letter + std::to_string(number) + ' ';
  if (number == own.throws_at) {
    throw std::runtime_error("thrown");
  }
}

struct three_steps {
  std::string trace;
  std::array<step_trace, 3> contexts{{{'a', &trace, 0}, {'b', &trace, 2}, {'c', &trace, 0}}};
  std::array<step, 3> steps{{{"a", &contexts[0], &trace_step},
                             {"b", &contexts[1], &trace_step},
                             {"c", &contexts[2], &trace_step}}};
  collecting_owner owner;
  std::array<numbered_call, 3> calls;
  std::vector<bool> wave_full;

  void submit_all(path_runner& runner) {
    for (int i = 0; i < 3; ++i) {
      auto& call = calls[static_cast<std::size_t>(i)];
      call.number = i + 1;
      wave_full.push_back(runner.submit(call));
    }
  }
};

}  // namespace

TEST_CASE("with stages off a request runs through all steps at once") {
  three_steps t;
  path_runner runner(t.steps, t.owner);
  t.submit_all(runner);
  CHECK(t.trace == "a1 b1 c1 a2 b2 a3 b3 c3 ");
  CHECK(t.owner.ended == std::vector{1, -2, 3});
  CHECK(t.wave_full == std::vector{false, false, false});
}

TEST_CASE(
    "with stages on each step runs for all requests, and a failed request keeps its position") {
  three_steps t;
  hand_driven_scheduler scheduler;
  stage_registry registry(scheduler);
  path_runner runner(t.steps, t.owner, registry);
  CHECK(registry.names() == std::vector<std::string>{"a", "b", "c"});
  t.submit_all(runner);
  CHECK(t.trace.empty());
  scheduler.run_all();
  CHECK(t.trace == "a1 a2 a3 b1 b2 b3 c1 c3 ");
  CHECK(t.owner.ended == std::vector{1, -2, 3});
  CHECK_THROWS_WITH_AS(std::rethrow_exception(t.calls[1].error), "thrown", std::runtime_error);
}

TEST_CASE("requests beyond a batch run in waves, each after the previous one is done") {
  three_steps t;
  hand_driven_scheduler scheduler;
  stage_registry registry(scheduler, {.max_batch = 2});
  path_runner runner(t.steps, t.owner, registry);
  t.submit_all(runner);
  CHECK(t.wave_full == std::vector{false, true, true});
  scheduler.run_all();
  CHECK(t.trace == "a1 a2 b1 b2 c1 a3 b3 c3 ");
  CHECK(t.owner.ended == std::vector{1, -2, 3});
  t.trace.clear();
  t.submit_all(runner);
  registry.drain();  // shutdown also runs the waiting waves
  CHECK(t.owner.ended.size() == 6);
  scheduler.run_all();
}

TEST_CASE("two steps with the same name are rejected") {
  three_steps t;
  t.steps[2].name = "a";
  hand_driven_scheduler scheduler;
  stage_registry registry(scheduler);
  CHECK_THROWS_AS(path_runner(t.steps, t.owner, registry), std::invalid_argument);
}

TEST_CASE("a single request runs through all stages at once, without a task") {
  three_steps t;
  hand_driven_scheduler scheduler;
  stage_registry registry(scheduler);
  path_runner runner(t.steps, t.owner, registry);
  for (int i = 0; i < 3; ++i) {
    auto& call = t.calls[static_cast<std::size_t>(i)];
    call.number = i + 1;
    CHECK(runner.free());
    runner.run_single(call);
  }
  CHECK(t.trace == "a1 b1 c1 a2 b2 a3 b3 c3 ");
  CHECK(t.owner.ended == std::vector{1, -2, 3});
  CHECK(scheduler.scheduled() == 0);
  for (const auto& stage : registry.counts()) {
    CHECK(stage.calls_executed == 3);
    CHECK(stage.calls_failed == (stage.name == "b" ? 1 : 0));
    CHECK(stage.batches[0] == 3);
  }
  runner.submit(t.calls[0]);
  CHECK_FALSE(runner.free());
  scheduler.run_all();
  CHECK(runner.free());
}

TEST_CASE("with stages off there is no fast path for a single request") {
  three_steps t;
  CHECK_FALSE(path_runner(t.steps, t.owner).free());
}
