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

struct queue_fixture {
  explicit queue_fixture(const queue_settings& settings) : line(disk, clock, settings) {}

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

TEST_CASE("requests of a class start in order, with one flush per round") {
  queue_fixture queue({});
  const auto number = queue.line.add_class({.name = "all"});
  for (std::uint64_t i = 0; i < 3; ++i) queue.add(number).io.offset = i * 4096;
  CHECK(queue.line.dispatch() == 3);
  CHECK(queue.disk.flushes == 1);
  for (std::uint64_t i = 0; i < 3; ++i) CHECK(queue.disk.started[i]->piece.offset == i * 4096);
  queue.disk.complete(1);
  CHECK(queue.requests[1].how == outcome::done);
  CHECK(queue.requests[1].result == 4096);
  CHECK(queue.requests[0].settled_times == 0);
  CHECK(queue.line.dispatch() == 0);
  CHECK(queue.disk.flushes == 1);
}

TEST_CASE("cost in flight stays below the limit, and a completion makes room") {
  queue_fixture queue({.costs = by_size, .limit = 7});
  const auto number = queue.line.add_class({.name = "all"});
  for (const std::uint64_t blocks : {2U, 1U, 3U, 1U}) queue.add(number, blocks * 4096);
  CHECK(queue.line.dispatch() == 2);
  CHECK(queue.line.in_flight_cost() == 5);
  CHECK(queue.line.metrics(number).limit_hits == 1);
  queue.disk.complete(1);
  CHECK(queue.line.in_flight_cost() == 3);
  CHECK(queue.line.dispatch() == 1);
  CHECK(queue.line.in_flight_cost() == 7);
}

TEST_CASE("a request that the device has no room for starts later") {
  queue_fixture queue({});
  queue.disk.room = 1;
  const auto number = queue.line.add_class({.name = "all"});
  queue.add(number);
  queue.add(number);
  CHECK(queue.line.dispatch() == 1);
  CHECK(queue.line.in_flight() == 1);
  CHECK(queue.line.in_flight_cost() == 1);
  queue.disk.complete();
  CHECK(queue.line.dispatch() == 1);
  queue.disk.complete();
  CHECK(queue.requests[1].how == outcome::done);
}

TEST_CASE("a request above the limit is split, and is done when all pieces are done") {
  queue_fixture queue({.costs = by_size, .limit = 5});
  const auto number = queue.line.add_class({.name = "all"});
  auto& big = queue.add(number, 10 * 4096 + 512);
  big.io.offset = 8192;
  CHECK(queue.line.dispatch() == 1);
  CHECK(queue.disk.started[0]->piece.size_bytes == 4 * 4096);
  queue.disk.complete();
  CHECK(queue.line.dispatch() == 1);
  CHECK(queue.disk.started[0]->piece.offset == 8192 + 4 * 4096);
  queue.disk.complete();
  CHECK(big.settled_times == 0);
  CHECK(queue.line.dispatch() == 1);
  CHECK(queue.disk.started[0]->piece.size_bytes == 2 * 4096 + 512);
  queue.disk.complete();
  CHECK(big.how == outcome::done);
  CHECK(big.result == 10 * 4096 + 512);
  CHECK(queue.line.metrics(number).split == 1);
  CHECK(queue.line.metrics(number).by_direction[0].operations == 1);
  CHECK(queue.line.metrics(number).by_direction[0].bytes == 10 * 4096 + 512);
}

TEST_CASE("a request that cannot be split runs alone") {
  queue_fixture queue({.costs = by_size, .limit = 5, .split_bytes = 0});
  const auto number = queue.line.add_class({.name = "all"});
  queue.add(number);
  queue.add(number, 10 * 4096);
  CHECK(queue.line.dispatch() == 1);
  queue.disk.complete();
  CHECK(queue.line.dispatch() == 1);
  CHECK(queue.line.in_flight_cost() == 5);
  queue.disk.complete();
  CHECK(queue.line.in_flight_cost() == 0);
}

TEST_CASE("pieces of a request are in flight together if the limit allows it") {
  queue_fixture queue({.costs = by_size, .limit = 100, .most_bytes = 10'000});
  const auto number = queue.line.add_class({.name = "all"});
  auto& big = queue.add(number, 5 * 4096);
  CHECK(queue.line.dispatch() == 3);
  queue.disk.complete(2);
  queue.disk.complete(0, 4096);  // short by a block: the rest may be there, but not in one piece
  queue.disk.complete(0);
  CHECK(big.how == outcome::done);
  CHECK(big.result == 4096);
}

TEST_CASE(
    "after a failed piece no other piece starts, and the last in flight settles the request") {
  queue_fixture queue({.costs = by_size, .limit = 6, .most_bytes = 8192});
  const auto number = queue.line.add_class({.name = "all"});
  auto& big = queue.add(number, 20 * 4096);
  auto& next = queue.add(number);
  CHECK(queue.line.dispatch() == 2);
  queue.disk.complete(0, -EIO);
  CHECK(big.settled_times == 0);
  CHECK(queue.line.dispatch() == 1);
  CHECK(queue.disk.started[1]->piece.size_bytes == 4096);
  queue.disk.complete(0);
  CHECK(big.how == outcome::failed);
  CHECK(big.result == -EIO);
  queue.disk.complete(0);
  CHECK(next.how == outcome::done);
  CHECK(queue.line.in_flight_cost() == 0);
  CHECK(queue.line.metrics(number).failed == 1);
}

TEST_CASE("a queued request is cancelled at once and costs nothing") {
  queue_fixture queue({.limit = 1});
  const auto number = queue.line.add_class({.name = "all"});
  queue.add(number);
  auto& second = queue.add(number);
  auto& third = queue.add(number);
  CHECK(queue.line.dispatch() == 1);
  queue.line.cancel(second);
  CHECK(second.how == outcome::cancelled);
  CHECK(second.result == -ECANCELED);
  CHECK(second.is_free());
  CHECK(queue.disk.cancel_requests.empty());
  queue.line.cancel(second);
  CHECK(second.settled_times == 1);
  queue.disk.complete();
  CHECK(queue.line.dispatch() == 1);
  queue.disk.complete();
  CHECK(third.how == outcome::done);
  CHECK(queue.line.metrics(number).cancelled == 1);
}

TEST_CASE("a request in flight is cancelled in the device once, and settles as it completes") {
  queue_fixture queue({});
  const auto number = queue.line.add_class({.name = "all"});
  auto& obeyed = queue.add(number);
  auto& too_late = queue.add(number);
  auto& interrupted = queue.add(number);
  auto& broken = queue.add(number);
  CHECK(queue.line.dispatch() == 4);
  for (auto& request : queue.requests) queue.line.cancel(request);
  queue.line.cancel(obeyed);
  CHECK(queue.disk.cancel_requests.size() == 4);
  CHECK(obeyed.settled_times == 0);
  queue.disk.complete(0, -ECANCELED);
  queue.disk.complete();
  queue.disk.complete(0, -EINTR);
  queue.disk.complete(0, -EIO);
  CHECK(obeyed.how == outcome::cancelled);
  CHECK(too_late.how == outcome::done);
  CHECK(interrupted.how == outcome::cancelled);
  CHECK(broken.how == outcome::failed);
  CHECK(queue.line.in_flight_cost() == 0);
}

TEST_CASE("a request cancelled between its pieces leaves the queue and ends with those in flight") {
  queue_fixture queue({.costs = by_size, .limit = 3});
  const auto number = queue.line.add_class({.name = "all"});
  auto& big = queue.add(number, 8 * 4096);
  auto& next = queue.add(number);
  CHECK(queue.line.dispatch() == 1);
  queue.line.cancel(big);
  CHECK(queue.disk.cancel_requests.size() == 1);
  CHECK(big.settled_times == 0);
  queue.disk.complete();
  CHECK(big.how == outcome::cancelled);
  CHECK(queue.line.dispatch() == 1);
  queue.disk.complete();
  CHECK(next.how == outcome::done);
}

TEST_CASE("an operation that the device cancels by itself counts as failed") {
  queue_fixture queue({});
  const auto number = queue.line.add_class({.name = "all"});
  auto& request = queue.add(number);
  queue.line.dispatch();
  queue.disk.complete(0, -ECANCELED);
  CHECK(request.how == outcome::failed);
  CHECK(request.result == -ECANCELED);
}

TEST_CASE("after its deadline a waiting request expires and one in flight is cancelled") {
  queue_fixture queue({.limit = 1});
  const auto number = queue.line.add_class({.name = "all"});
  noted_request flying;
  noted_request waiting;
  noted_request in_time;
  flying.deadline = 5ms;
  waiting.deadline = 3ms;
  in_time.deadline = 9ms;
  for (auto* request : {&flying, &waiting, &in_time}) REQUIRE(queue.line.submit(number, *request));
  CHECK(queue.line.dispatch() == 1);
  CHECK(queue.line.next_wake() == 3ms);
  queue.pass(3ms - 1ns);
  queue.line.dispatch();
  CHECK(waiting.settled_times == 0);
  queue.pass(1ns);
  queue.line.dispatch();
  CHECK(waiting.how == outcome::expired);
  CHECK(waiting.result == -ETIMEDOUT);
  CHECK(queue.line.next_wake() == 5ms);
  queue.pass(2ms);
  queue.line.dispatch();
  CHECK(queue.disk.cancel_requests.size() == 1);
  queue.disk.complete(0, -ECANCELED);
  CHECK(flying.how == outcome::expired);
  queue.line.dispatch();
  queue.disk.complete(0, 0);
  CHECK(in_time.how == outcome::done);
  CHECK(queue.line.next_wake() == queue::never);
  CHECK(queue.line.metrics(number).expired == 2);
  CHECK(queue.line.metrics(number).cancelled == 2);
}

TEST_CASE("a full class rejects requests until one of its requests has started") {
  queue_fixture queue({.limit = 1});
  const auto full = queue.line.add_class({.name = "full", .max_queued = 2});
  const auto other = queue.line.add_class({.name = "other"});
  queue.add(full);
  queue.add(full);
  noted_request third;
  CHECK_FALSE(queue.line.submit(full, third));
  CHECK(third.is_free());
  CHECK(queue.line.metrics(full).rejected == 1);
  CHECK(queue.line.metrics(full).submitted == 2);
  CHECK(queue.line.submit(other, third));
  queue.line.dispatch();
  noted_request fourth;
  CHECK(queue.line.submit(full, fourth));
}

TEST_CASE("tokens delay requests on an idle device, and next_wake() is when they suffice") {
  queue_fixture queue({.tokens = stallscope::ioqueue::token_rate{.per_s = 1000, .burst = 2}});
  const auto number = queue.line.add_class({.name = "all"});
  for (int i = 0; i < 4; ++i) queue.add(number);
  CHECK(queue.line.dispatch() == 2);
  CHECK(queue.line.metrics(number).token_waits == 1);
  CHECK(queue.line.next_wake() == 1ms);
  queue.pass(1ms);
  CHECK(queue.line.dispatch() == 1);
  queue.pass(1ms);
  CHECK(queue.line.dispatch() == 1);
  CHECK(queue.line.next_wake() == queue::never);
}

TEST_CASE("queued, executing and starved are integrals over time") {
  queue_fixture queue({.limit = 1});
  const auto first = queue.line.add_class({.name = "first"});
  const auto second = queue.line.add_class({.name = "second"});
  queue.add(first);
  queue.add(second);
  queue.add(second);
  queue.pass(2ms);
  queue.line.dispatch();
  queue.pass(3ms);
  queue.disk.complete();
  queue.line.dispatch();
  queue.pass(4ms);
  const auto& counted = queue.line.metrics(second);
  CHECK(counted.queued_ns == 14'000'000);  // two for 5 ms, one for 4
  CHECK(counted.executing_ns == 4'000'000);
  CHECK(counted.starved_ns == 5'000'000);
  CHECK(queue.line.metrics(first).queued_ns == 2'000'000);
  CHECK(queue.line.metrics(first).split == 0);
  CHECK(queue.line.metrics(first).executing_ns == 3'000'000);
  const auto near = [](std::uint64_t value, double expected) {
    return static_cast<double>(value) > 0.998 * expected &&
           static_cast<double>(value) < 1.002 * expected;
  };
  CHECK(near(queue.line.metrics(first).delay.max(), 2e6));
  CHECK(near(queue.line.metrics(first).execution.max(), 3e6));
  CHECK(near(queue.line.metrics(first).total.max(), 5e6));
  queue.line.reset_metrics();
  CHECK(queue.line.metrics(second).submitted == 2);
  CHECK(queue.line.metrics(second).queued == 1);
  CHECK(queue.line.metrics(second).queued_ns == 0);
  CHECK(queue.line.metrics(first).total.count() == 0);
}

TEST_CASE("settled() may submit the request again and cancel others") {
  queue_fixture queue({.limit = 1});
  const auto number = queue.line.add_class({.name = "all"});
  auto& first = queue.add(number);
  auto& second = queue.add(number);
  int rounds = 0;
  first.then = [&] {
    queue.line.cancel(second);
    if (++rounds < 3) CHECK(queue.line.submit(number, first));
  };
  for (int i = 0; i < 3; ++i) {
    CHECK(queue.line.dispatch() == 1);
    queue.disk.complete();
  }
  CHECK(first.settled_times == 3);
  CHECK(second.settled_times == 1);
  CHECK(queue.line.dispatch() == 0);
}

TEST_CASE("a lower limit applies after requests in flight have completed") {
  queue_fixture queue({});
  const auto number = queue.line.add_class({.name = "all"});
  for (int i = 0; i < 6; ++i) queue.add(number);
  CHECK(queue.line.dispatch() == 6);
  queue.add(number);
  queue.line.set_limit(2);
  for (int i = 0; i < 4; ++i) {
    CHECK(queue.line.dispatch() == 0);
    queue.disk.complete();
  }
  queue.disk.complete();
  CHECK(queue.line.dispatch() == 1);
}

TEST_CASE("invalid settings are rejected") {
  queue_fixture queue({});
  CHECK_THROWS_AS(queue.line.add_class({.name = "none", .max_queued = 0}), std::invalid_argument);
  CHECK_THROWS_AS(queue.line.add_class({.name = "none", .shares = 0}), std::invalid_argument);
  CHECK_THROWS_AS(queue_fixture({.tau = -1ns}), std::invalid_argument);
}
