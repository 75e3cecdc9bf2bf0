#include <doctest/doctest.h>

#include <cerrno>
#include <chrono>
#include <cmath>
#include <stdexcept>
#include <vector>

#include "ioqueue/queue.hpp"
#include "ioqueue/simulated_device.hpp"
#include "own_requests.hpp"

namespace {

using namespace std::chrono_literals;
using stallscope::ioqueue::queue;
using stallscope::ioqueue::simulated_device;
using stallscope::ioqueue::simulated_settings;
using stallscope::ioqueue::virtual_time;

// Keeps a number of requests in flight, in a closed loop, and counts completions.
class closed_loop {
 public:
  closed_loop(queue& line, stallscope::ioqueue::class_id number, std::size_t depth)
      : requests_(depth) {
    for (noted_request& request : requests_) {
      request.io.size_bytes = 4096;
      request.then = [this, &line, number, &request] {
        ++done;
        CHECK(line.submit(number, request));
      };
      CHECK(line.submit(number, request));
    }
  }
  std::uint64_t done = 0;

 private:
  std::deque<noted_request> requests_;
};

double operations_per_s(const simulated_settings& settings, std::size_t depth,
                        std::chrono::nanoseconds duration) {
  virtual_time clock;
  simulated_device disk(settings, clock);
  queue line(disk, clock, {.costs = stallscope::ioqueue::each_costs_one()});
  const auto number = line.add_class({.name = "all"});
  closed_loop load(line, number, depth);
  do line.dispatch();
  while (disk.next_event() <= duration && disk.step());
  return static_cast<double>(load.done) / std::chrono::duration<double>(duration).count();
}

}  // namespace

TEST_CASE("with a fixed service time the knee is exactly at the number of servers") {
  for (const std::uint32_t servers : {1U, 4U, 8U, 32U}) {
    for (const std::size_t depth : {1U, 3U, 4U, 5U, 8U, 9U, 32U, 64U}) {
      const double expected = static_cast<double>(std::min<std::size_t>(servers, depth)) * 1000;
      CHECK(operations_per_s({.servers = servers, .service = 1ms}, depth, 200ms) == expected);
    }
  }
}

TEST_CASE("above the knee a request waits for earlier ones, to the nanosecond") {
  virtual_time clock;
  simulated_device disk({.servers = 4, .service = 1ms}, clock);
  queue line(disk, clock, {.costs = stallscope::ioqueue::each_costs_one()});
  const auto number = line.add_class({.name = "all"});
  std::deque<noted_request> requests(10);
  for (auto& request : requests) REQUIRE(line.submit(number, request));
  CHECK(line.dispatch() == 10);
  CHECK(disk.waiting() == 6);
  while (disk.step()) {
  }
  for (std::size_t i = 0; i < 10; ++i) CHECK(requests[i].settled_times == 1);
  CHECK(clock.now() == 3ms);
  CHECK(line.metrics(number).execution.value_at_percentile(40) >= 1ms / 1ns);
  CHECK(line.metrics(number).execution.value_at_percentile(40) < 1.001e6);
  CHECK(line.metrics(number).execution.max() < 3.004e6);
}

TEST_CASE("exponential services have the configured mean, and its square as variance") {
  // The mean of n exponential services is off by mean/sqrt(n): 5 of those for 25,000.
  const double rate = operations_per_s({.servers = 1, .service = 1ms, .exponential = true}, 1, 25s);
  CHECK(std::abs(rate - 1000) < 5 * 1000 / std::sqrt(25000.0));
  const double fuller =
      operations_per_s({.servers = 8, .service = 1ms, .exponential = true}, 16, 5s);
  CHECK(std::abs(fuller - 8000) < 5 * 8000 / std::sqrt(40000.0));
}

TEST_CASE("a waiting operation is cancelled at once, and one in service completes") {
  virtual_time clock;
  simulated_device disk({.servers = 1, .service = 1ms}, clock);
  queue line(disk, clock, {.costs = stallscope::ioqueue::each_costs_one()});
  const auto number = line.add_class({.name = "all"});
  noted_request served;
  noted_request waiting;
  REQUIRE(line.submit(number, served));
  REQUIRE(line.submit(number, waiting));
  CHECK(line.dispatch() == 2);
  line.cancel(waiting);
  line.cancel(served);
  CHECK(waiting.settled_times == 0);
  REQUIRE(disk.step());
  CHECK(waiting.how == stallscope::ioqueue::outcome::cancelled);
  CHECK(clock.now() == 0ns);
  REQUIRE(disk.step());
  CHECK(served.how == stallscope::ioqueue::outcome::done);
  CHECK(clock.now() == 1ms);
  CHECK_FALSE(disk.step());
}

TEST_CASE("a device without servers or service time is rejected") {
  virtual_time clock;
  CHECK_THROWS_AS(simulated_device({.servers = 0}, clock), std::invalid_argument);
  CHECK_THROWS_AS(simulated_device({.service = 0ns}, clock), std::invalid_argument);
}
