#include <doctest/doctest.h>

#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

#include "hand_driven_scheduler.hpp"
#include "stages/staged_function.hpp"

using namespace stallscope::stages;

namespace {

struct staged_fixture {
  hand_driven_scheduler scheduler;
  stage_registry registry{scheduler};
  thread_registry of_this_thread{registry};
};

int checked_half(int number) {
  if (number % 2 != 0) throw std::invalid_argument("odd");
  return number / 2;
}

}  // namespace

TEST_CASE("a call of a staged function runs in a later task and its future has the result") {
  staged_fixture fixture;
  auto half = make_execution_stage("half", checked_half);
  auto first = half(10);
  auto second = half(4);
  CHECK_FALSE(first.ready());
  CHECK_THROWS_AS(first.get(), std::logic_error);
  fixture.scheduler.run_all();
  CHECK(first.ready());
  CHECK(second.get() == 2);
  CHECK(first.get() == 5);
  CHECK(half.counted().counts().calls_executed == 2);
  CHECK(half.counted().counts().batches[1] == 1);
  CHECK(half.counted().name() == "half");
}

TEST_CASE("the future throws what the function threw, and the stage continues") {
  staged_fixture fixture;
  auto half = make_execution_stage("half", checked_half);
  auto odd = half(3);
  auto even = half(6);
  fixture.scheduler.run_all();
  CHECK_THROWS_WITH_AS(odd.get(), "odd", std::invalid_argument);
  CHECK(even.get() == 3);
  CHECK(half.counted().counts().calls_failed == 1);
}

TEST_CASE("a continuation runs within the batch, or at once if the call has run") {
  staged_fixture fixture;
  auto half = make_execution_stage("half", checked_half);
  std::vector<std::string> order;
  const auto note = [&order](auto done) {
    try {
      order.push_back(std::to_string(done.get()));
    } catch (const std::invalid_argument& error) {
      order.emplace_back(error.what());
    }
  };
  half(2).then(note);
  half(3).then(note);
  auto late = half(8);
  CHECK(order.empty());
  fixture.scheduler.run_all();
  CHECK(order == std::vector<std::string>{"1", "odd"});
  std::move(late).then(note);
  CHECK(order.back() == "4");
}

TEST_CASE("a call whose future is dropped runs, and its result is discarded") {
  staged_fixture fixture;
  auto tracked = std::make_shared<int>(7);
  int calls = 0;
  auto pass = make_execution_stage("pass", [&calls](std::shared_ptr<int> value) {
    ++calls;
    return value;
  });
  { auto dropped_before = pass(tracked); }
  auto dropped_after = std::make_unique<stage_future<std::shared_ptr<int>>>(pass(tracked));
  fixture.scheduler.run_all();
  dropped_after.reset();
  CHECK(calls == 2);
  CHECK(tracked.use_count() == 1);
}

TEST_CASE("arguments are copied, and a function without a result has a future too") {
  staged_fixture fixture;
  std::vector<std::string> lines;
  auto append =
      make_execution_stage("append", [&lines](const std::string& text, std::size_t times) {
        for (std::size_t i = 0; i < times; ++i) lines.push_back(text);
      });
  std::string text = "a line too long for the buffer inside of a string object";
  auto done = append(text, 2);
  text.clear();
  fixture.scheduler.run_all();
  done.get();
  CHECK(lines.size() == 2);
  CHECK(lines.back().starts_with("a line"));
}

TEST_CASE("futures may be held and dropped in any order while calls are reused") {
  staged_fixture fixture;
  auto same =
      make_execution_stage("same", [](int number) { return std::make_unique<int>(number); });
  std::vector<stage_future<std::unique_ptr<int>>> held;
  bool right = true;
  int next = 0;
  for (int round = 0; round < 200; ++round) {
    for (int i = 0; i <= round % 7; ++i) held.push_back(same(next++));
    fixture.scheduler.run_all();
    while (held.size() > static_cast<std::size_t>(round % 13)) {
      const auto place = static_cast<std::ptrdiff_t>(held.size() / 3);
      auto taken = std::move(held[static_cast<std::size_t>(place)]);
      held.erase(held.begin() + place);
      if (held.size() % 2 == 0) right = right && *taken.get() < next;
    }
  }
  CHECK(right);
}

TEST_CASE("calls beyond the queue limit run in order, the first of them at once") {
  staged_fixture fixture;
  std::vector<int> run;
  auto record = make_execution_stage("record", [&](int number) { run.push_back(number); });
  std::vector<int> expected;
  for (int number = 0; number < 2000; ++number) {
    record(number).then([](auto done) { done.get(); });
    expected.push_back(number);
  }
  CHECK(run.size() >= 1024);
  fixture.scheduler.run_all();
  CHECK(run == expected);
}

TEST_CASE("a stage without a registry of its thread is an error, and scopes nest") {
  const auto make = [] { return make_execution_stage("half", checked_half).counted().name(); };
  CHECK_THROWS_AS(make(), std::logic_error);
  hand_driven_scheduler scheduler;
  stage_registry outer(scheduler);
  stage_registry inner(scheduler);
  const thread_registry of_outer(outer);
  {
    const thread_registry of_inner(inner);
    auto half = make_execution_stage("half", checked_half);
    CHECK(inner.names() == std::vector<std::string>{"half"});
    CHECK_THROWS_AS(make_execution_stage("half", checked_half), std::invalid_argument);
  }
  auto half = make_execution_stage("half", checked_half);
  CHECK(outer.names() == std::vector<std::string>{"half"});
}
