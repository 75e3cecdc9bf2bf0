#include <doctest/doctest.h>

#include <chrono>
#include <deque>

#include "ioqueue/queue.hpp"
#include "manual_device.hpp"
#include "own_requests.hpp"

namespace {

using namespace std::chrono_literals;
using stallscope::ioqueue::class_id;
using stallscope::ioqueue::direction;
using stallscope::ioqueue::outcome;
using stallscope::ioqueue::queue;
using stallscope::ioqueue::queue_settings;

struct bench {
  explicit bench(const queue_settings& settings) : line(disk, clock, settings) {}

  noted_request& add(class_id number, std::uint64_t size_bytes = 4096,
                     direction way = direction::read) {
    noted_request& added = requests.emplace_back();
    added.io.kind = way;
    added.io.size_bytes = size_bytes;
    REQUIRE(line.submit(number, added));
    return added;
  }
  void pass(std::chrono::nanoseconds time) { clock.move_to(clock.now() + time); }

  stallscope::ioqueue::virtual_time clock;
  manual_device disk;
  queue line;
  std::deque<noted_request> requests;
};

// 1 and 1 for each 4 KiB.
constexpr stallscope::ioqueue::cost_model by_size{.read = {.base = 1, .block = 1},
                                                  .write = {.base = 1, .block = 1}};

}  // namespace

TEST_CASE("requests of a class go in their order, all of a round with one flush") {
  bench on({});
  const auto number = on.line.add_class({.name = "all"});
  for (std::uint64_t i = 0; i < 3; ++i) on.add(number).io.offset = i * 4096;
  CHECK(on.line.dispatch() == 3);
  CHECK(on.disk.flushes == 1);
  for (std::uint64_t i = 0; i < 3; ++i) CHECK(on.disk.started[i]->piece.offset == i * 4096);
  on.disk.complete(1);
  CHECK(on.requests[1].how == outcome::done);
  CHECK(on.requests[1].result == 4096);
  CHECK(on.requests[0].settled_times == 0);
  CHECK(on.line.dispatch() == 0);
  CHECK(on.disk.flushes == 1);
}

TEST_CASE("cost in flight stays below the limit, and what completes makes room") {
  bench on({.costs = by_size, .limit = 7});
  const auto number = on.line.add_class({.name = "all"});
  for (const std::uint64_t blocks : {2U, 1U, 3U, 1U}) on.add(number, blocks * 4096);
  CHECK(on.line.dispatch() == 2);
  CHECK(on.line.in_flight_cost() == 5);
  CHECK(on.line.metrics(number).limit_hits == 1);
  on.disk.complete(1);
  CHECK(on.line.in_flight_cost() == 3);
  CHECK(on.line.dispatch() == 1);
  CHECK(on.line.in_flight_cost() == 7);
}

TEST_CASE("a device without room is asked again later, and nothing is lost") {
  bench on({});
  on.disk.room = 1;
  const auto number = on.line.add_class({.name = "all"});
  on.add(number);
  on.add(number);
  CHECK(on.line.dispatch() == 1);
  CHECK(on.line.in_flight() == 1);
  CHECK(on.line.in_flight_cost() == 1);
  on.disk.complete();
  CHECK(on.line.dispatch() == 1);
  on.disk.complete();
  CHECK(on.requests[1].how == outcome::done);
}

TEST_CASE("a request above the limit goes in pieces, and is done when all are") {
  bench on({.costs = by_size, .limit = 5});
  const auto number = on.line.add_class({.name = "all"});
  auto& big = on.add(number, 10 * 4096 + 512);
  big.io.offset = 8192;
  CHECK(on.line.dispatch() == 1);
  CHECK(on.disk.started[0]->piece.size_bytes == 4 * 4096);
  on.disk.complete();
  CHECK(on.line.dispatch() == 1);
  CHECK(on.disk.started[0]->piece.offset == 8192 + 4 * 4096);
  on.disk.complete();
  CHECK(big.settled_times == 0);
  CHECK(on.line.dispatch() == 1);
  CHECK(on.disk.started[0]->piece.size_bytes == 2 * 4096 + 512);
  on.disk.complete();
  CHECK(big.how == outcome::done);
  CHECK(big.result == 10 * 4096 + 512);
  CHECK(on.line.metrics(number).split == 1);
  CHECK(on.line.metrics(number).by_direction[0].operations == 1);
  CHECK(on.line.metrics(number).by_direction[0].bytes == 10 * 4096 + 512);
}

TEST_CASE("a request that may not be split goes alone") {
  bench on({.costs = by_size, .limit = 5, .split_bytes = 0});
  const auto number = on.line.add_class({.name = "all"});
  on.add(number);
  on.add(number, 10 * 4096);
  CHECK(on.line.dispatch() == 1);
  on.disk.complete();
  CHECK(on.line.dispatch() == 1);
  CHECK(on.line.in_flight_cost() == 5);
  on.disk.complete();
  CHECK(on.line.in_flight_cost() == 0);
}

TEST_CASE("pieces of one request fly together where the limit allows") {
  bench on({.costs = by_size, .limit = 100, .most_bytes = 10'000});
  const auto number = on.line.add_class({.name = "all"});
  auto& big = on.add(number, 5 * 4096);
  CHECK(on.line.dispatch() == 3);
  on.disk.complete(2);
  on.disk.complete(0, 4096);  // short by a block: the rest may be there, but not in one piece
  on.disk.complete(0);
  CHECK(big.how == outcome::done);
  CHECK(big.result == 4096);
}

TEST_CASE("a failed piece takes what did not start with it, and settles with the last in flight") {
  bench on({.costs = by_size, .limit = 6, .most_bytes = 8192});
  const auto number = on.line.add_class({.name = "all"});
  auto& big = on.add(number, 20 * 4096);
  auto& next = on.add(number);
  CHECK(on.line.dispatch() == 2);
  on.disk.complete(0, -EIO);
  CHECK(big.settled_times == 0);
  CHECK(on.line.dispatch() == 1);
  CHECK(on.disk.started[1]->piece.size_bytes == 4096);
  on.disk.complete(0);
  CHECK(big.how == outcome::failed);
  CHECK(big.result == -EIO);
  on.disk.complete(0);
  CHECK(next.how == outcome::done);
  CHECK(on.line.in_flight_cost() == 0);
  CHECK(on.line.metrics(number).failed == 1);
}

TEST_CASE("a queued request is cancelled at once and costs nothing") {
  bench on({.limit = 1});
  const auto number = on.line.add_class({.name = "all"});
  on.add(number);
  auto& second = on.add(number);
  auto& third = on.add(number);
  CHECK(on.line.dispatch() == 1);
  on.line.cancel(second);
  CHECK(second.how == outcome::cancelled);
  CHECK(second.result == -ECANCELED);
  CHECK(second.is_free());
  CHECK(on.disk.asked.empty());
  on.line.cancel(second);
  CHECK(second.settled_times == 1);
  on.disk.complete();
  CHECK(on.line.dispatch() == 1);
  on.disk.complete();
  CHECK(third.how == outcome::done);
  CHECK(on.line.metrics(number).cancelled == 1);
}

TEST_CASE("one in flight is asked of the device once, and settles as it completes") {
  bench on({});
  const auto number = on.line.add_class({.name = "all"});
  auto& obeyed = on.add(number);
  auto& too_late = on.add(number);
  auto& interrupted = on.add(number);
  auto& broken = on.add(number);
  CHECK(on.line.dispatch() == 4);
  for (auto& one : on.requests) on.line.cancel(one);
  on.line.cancel(obeyed);
  CHECK(on.disk.asked.size() == 4);
  CHECK(obeyed.settled_times == 0);
  on.disk.complete(0, -ECANCELED);
  on.disk.complete();
  on.disk.complete(0, -EINTR);
  on.disk.complete(0, -EIO);
  CHECK(obeyed.how == outcome::cancelled);
  CHECK(too_late.how == outcome::done);
  CHECK(interrupted.how == outcome::cancelled);
  CHECK(broken.how == outcome::failed);
  CHECK(on.line.in_flight_cost() == 0);
}

TEST_CASE("cancelled between its pieces, a request leaves the line and ends with what flies") {
  bench on({.costs = by_size, .limit = 3});
  const auto number = on.line.add_class({.name = "all"});
  auto& big = on.add(number, 8 * 4096);
  auto& next = on.add(number);
  CHECK(on.line.dispatch() == 1);
  on.line.cancel(big);
  CHECK(on.disk.asked.size() == 1);
  CHECK(big.settled_times == 0);
  on.disk.complete();
  CHECK(big.how == outcome::cancelled);
  CHECK(on.line.dispatch() == 1);
  on.disk.complete();
  CHECK(next.how == outcome::done);
}

TEST_CASE("a device that gives up by itself failed") {
  bench on({});
  const auto number = on.line.add_class({.name = "all"});
  auto& one = on.add(number);
  on.line.dispatch();
  on.disk.complete(0, -ECANCELED);
  CHECK(one.how == outcome::failed);
  CHECK(one.result == -ECANCELED);
}

TEST_CASE("deadlines: who waits expires, who flies is asked for, who is in time is done") {
  bench on({.limit = 1});
  const auto number = on.line.add_class({.name = "all"});
  noted_request flying;
  noted_request waiting;
  noted_request in_time;
  flying.deadline = 5ms;
  waiting.deadline = 3ms;
  in_time.deadline = 9ms;
  for (auto* one : {&flying, &waiting, &in_time}) REQUIRE(on.line.submit(number, *one));
  CHECK(on.line.dispatch() == 1);
  CHECK(on.line.next_wake() == 3ms);
  on.pass(3ms - 1ns);
  on.line.dispatch();
  CHECK(waiting.settled_times == 0);
  on.pass(1ns);
  on.line.dispatch();
  CHECK(waiting.how == outcome::expired);
  CHECK(waiting.result == -ETIMEDOUT);
  CHECK(on.line.next_wake() == 5ms);
  on.pass(2ms);
  on.line.dispatch();
  CHECK(on.disk.asked.size() == 1);
  on.disk.complete(0, -ECANCELED);
  CHECK(flying.how == outcome::expired);
  on.line.dispatch();
  on.disk.complete(0, 0);
  CHECK(in_time.how == outcome::done);
  CHECK(on.line.next_wake() == queue::never);
  CHECK(on.line.metrics(number).expired == 2);
  CHECK(on.line.metrics(number).cancelled == 2);
}

TEST_CASE("a full class pushes back until one of its own was begun") {
  bench on({.limit = 1});
  const auto full = on.line.add_class({.name = "full", .most_queued = 2});
  const auto other = on.line.add_class({.name = "other"});
  on.add(full);
  on.add(full);
  noted_request third;
  CHECK_FALSE(on.line.submit(full, third));
  CHECK(third.is_free());
  CHECK(on.line.metrics(full).rejected == 1);
  CHECK(on.line.metrics(full).submitted == 2);
  CHECK(on.line.submit(other, third));
  on.line.dispatch();
  noted_request fourth;
  CHECK(on.line.submit(full, fourth));
}

TEST_CASE("tokens hold requests back though the device is idle, and tell when they will not") {
  bench on({.tokens = stallscope::ioqueue::token_rate{.per_s = 1000, .burst = 2}});
  const auto number = on.line.add_class({.name = "all"});
  for (int i = 0; i < 4; ++i) on.add(number);
  CHECK(on.line.dispatch() == 2);
  CHECK(on.line.metrics(number).token_waits == 1);
  CHECK(on.line.next_wake() == 1ms);
  on.pass(1ms);
  CHECK(on.line.dispatch() == 1);
  on.pass(1ms);
  CHECK(on.line.dispatch() == 1);
  CHECK(on.line.next_wake() == queue::never);
}

TEST_CASE("queued, executing and starved are integrals over time") {
  bench on({.limit = 1});
  const auto first = on.line.add_class({.name = "first"});
  const auto second = on.line.add_class({.name = "second"});
  on.add(first);
  on.add(second);
  on.add(second);
  on.pass(2ms);
  on.line.dispatch();
  on.pass(3ms);
  on.disk.complete();
  on.line.dispatch();
  on.pass(4ms);
  const auto& counted = on.line.metrics(second);
  CHECK(counted.queued_ns == 14'000'000);  // two for 5 ms, one for 4
  CHECK(counted.executing_ns == 4'000'000);
  CHECK(counted.starved_ns == 5'000'000);
  CHECK(on.line.metrics(first).queued_ns == 2'000'000);
  CHECK(on.line.metrics(first).split == 0);
  CHECK(on.line.metrics(first).executing_ns == 3'000'000);
  const auto near = [](std::uint64_t value, double expected) {
    return static_cast<double>(value) > 0.998 * expected &&
           static_cast<double>(value) < 1.002 * expected;
  };
  CHECK(near(on.line.metrics(first).delay.max(), 2e6));
  CHECK(near(on.line.metrics(first).execution.max(), 3e6));
  CHECK(near(on.line.metrics(first).total.max(), 5e6));
  on.line.reset_metrics();
  CHECK(on.line.metrics(second).submitted == 2);
  CHECK(on.line.metrics(second).queued == 1);
  CHECK(on.line.metrics(second).queued_ns == 0);
  CHECK(on.line.metrics(first).total.count() == 0);
}

TEST_CASE("a settled request may be submitted again, and others cancelled, from within") {
  bench on({.limit = 1});
  const auto number = on.line.add_class({.name = "all"});
  auto& first = on.add(number);
  auto& second = on.add(number);
  int rounds = 0;
  first.then = [&] {
    on.line.cancel(second);
    if (++rounds < 3) CHECK(on.line.submit(number, first));
  };
  for (int i = 0; i < 3; ++i) {
    CHECK(on.line.dispatch() == 1);
    on.disk.complete();
  }
  CHECK(first.settled_times == 3);
  CHECK(second.settled_times == 1);
  CHECK(on.line.dispatch() == 0);
}

TEST_CASE("a lower limit lets what flies land first") {
  bench on({});
  const auto number = on.line.add_class({.name = "all"});
  for (int i = 0; i < 6; ++i) on.add(number);
  CHECK(on.line.dispatch() == 6);
  on.add(number);
  on.line.set_limit(2);
  for (int i = 0; i < 4; ++i) {
    CHECK(on.line.dispatch() == 0);
    on.disk.complete();
  }
  on.disk.complete();
  CHECK(on.line.dispatch() == 1);
}

TEST_CASE("settings that make no sense are refused") {
  bench on({});
  CHECK_THROWS_AS(on.line.add_class({.name = "none", .most_queued = 0}), std::invalid_argument);
  CHECK_THROWS_AS(on.line.add_class({.name = "none", .shares = 0}), std::invalid_argument);
  CHECK_THROWS_AS(bench({.tau = -1ns}), std::invalid_argument);
}
