// The queue over the simulated device: what classes get of it, to the nanosecond.
#include <doctest/doctest.h>

#include <chrono>
#include <cstdint>
#include <deque>

#include "ioqueue/queue.hpp"
#include "ioqueue/simulated_device.hpp"
#include "own_requests.hpp"

namespace {

using namespace std::chrono_literals;
using stallscope::ioqueue::class_id;

struct service {
  explicit service(const stallscope::ioqueue::queue_settings& settings,
                   const stallscope::ioqueue::simulated_settings& device)
      : disk(device, clock), line(disk, clock, settings) {}

  // Keeps a number of requests of a class in flight.
  void keep(class_id number, std::size_t depth) {
    for (std::size_t i = 0; i < depth; ++i) {
      noted_request& request = requests.emplace_back();
      request.io.size_bytes = 4096;
      request.then = [this, number, &request] { CHECK(line.submit(number, request)); };
      CHECK(line.submit(number, request));
    }
  }
  void run_until(std::chrono::nanoseconds when) {
    do line.dispatch();
    while (disk.next_event() <= when && disk.step());
    clock.move_to(when);
  }

  stallscope::ioqueue::virtual_time clock;
  stallscope::ioqueue::simulated_device disk;
  stallscope::ioqueue::queue line;
  std::deque<noted_request> requests;
};

constexpr auto alike = stallscope::ioqueue::cost_model{};

}  // namespace

TEST_CASE("busy classes divide the whole device by their shares") {
  service on({.costs = alike, .limit = 8}, {.servers = 8, .service = 1ms});
  const auto small = on.line.add_class({.name = "small", .shares = 100});
  const auto large = on.line.add_class({.name = "large", .shares = 300});
  on.keep(small, 64);
  on.keep(large, 64);
  on.run_until(1s);
  CHECK(on.line.metrics(small).done == 2000);
  CHECK(on.line.metrics(large).done == 6000);
}

TEST_CASE("the other classes get what a class does not use") {
  service on({.costs = alike, .limit = 8}, {.servers = 8, .service = 1ms});
  const auto lazy = on.line.add_class({.name = "lazy", .shares = 900});
  const auto busy = on.line.add_class({.name = "busy", .shares = 100});
  on.keep(lazy, 1);
  on.keep(busy, 64);
  on.run_until(1s);
  CHECK(on.line.metrics(lazy).done == 1000);
  CHECK(on.line.metrics(busy).done == 7000);
}

TEST_CASE("the class with the fewest shares gets its turn after those of the others") {
  service on({.costs = alike, .limit = 1}, {.servers = 1, .service = 1ms});
  const auto poor = on.line.add_class({.name = "poor", .shares = 1});
  const auto rich = on.line.add_class({.name = "rich", .shares = 500});
  const auto as_rich = on.line.add_class({.name = "as rich", .shares = 500});
  on.keep(poor, 4);
  on.keep(rich, 4);
  on.keep(as_rich, 4);
  for (int turn = 1; turn <= 5; ++turn) {
    on.run_until(turn * 1001ms);
    CHECK(on.line.metrics(poor).done == turn);
  }
}

TEST_CASE("after an idle time a class gets its share and a burst of tau, not the missed service") {
  service on({.costs = stallscope::ioqueue::each_costs_one(1000), .limit = 1, .tau = 5ms},
             {.servers = 1, .service = 1ms});
  const auto awake = on.line.add_class({.name = "awake"});
  const auto sleeper = on.line.add_class({.name = "sleeper"});
  on.keep(awake, 8);
  on.run_until(10s);
  on.keep(sleeper, 8);
  on.line.reset_metrics();
  on.run_until(11s);
  const std::uint64_t slept = on.line.metrics(sleeper).done;
  // One of the other class was in flight when it woke; 5 go ahead, then they take turns.
  CHECK(slept >= 500 + 1);
  CHECK(slept <= 500 + 4);
}

TEST_CASE("with a limit, a reader passes writes that wait in the queue, not those in the device") {
  const auto longest_wait = [](stallscope::ioqueue::cost limit) {
    service on({.costs = alike, .limit = limit}, {.servers = 4, .service = 1ms});
    const auto reader = on.line.add_class({.name = "reader"});
    const auto writer = on.line.add_class({.name = "writer"});
    on.keep(writer, 128);
    on.keep(reader, 1);
    on.run_until(2s);
    CHECK(on.line.metrics(reader).done + on.line.metrics(writer).done == 8000);
    return static_cast<double>(on.line.metrics(reader).total.max());
  };
  CHECK(longest_wait(0) > 32e6);
  CHECK(longest_wait(8) < 3.01e6);
  CHECK(longest_wait(4) < 2.01e6);
}
