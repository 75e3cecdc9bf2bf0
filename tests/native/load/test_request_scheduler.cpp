#include "load/request_scheduler.hpp"

#include <doctest/doctest.h>

#include <vector>

using namespace stallscope::load;

namespace {

constexpr std::uint64_t start = 1'000;

schedule closed_loop(unsigned pipeline, std::uint64_t think_ns = 0) {
  schedule plan;
  plan.pipeline = pipeline;
  plan.think_ns = think_ns;
  plan.duration_ns = 100'000;
  return plan;
}

schedule open_loop(double rate_per_s, unsigned pipeline = 1) {
  schedule plan = closed_loop(pipeline);
  plan.rate_per_s = rate_per_s;
  plan.arrivals = arrival_process::fixed;
  return plan;
}

request_scheduler with_connections(const schedule& plan, unsigned connections) {
  request_scheduler scheduler(plan, connections, start);
  for (unsigned i = 0; i < connections; ++i) scheduler.connection_up(i, start);
  return scheduler;
}

std::vector<unsigned> all_due(request_scheduler& scheduler, std::uint64_t now_ns) {
  std::vector<unsigned> connections;
  while (const auto connection = scheduler.take(now_ns)) connections.push_back(*connection);
  return connections;
}

}  // namespace

TEST_CASE("a closed loop keeps the pipeline full") {
  auto scheduler = with_connections(closed_loop(2), 2);
  CHECK(scheduler.next_due_ns() == start);
  CHECK(all_due(scheduler, start) == std::vector<unsigned>{0, 0, 1, 1});
  CHECK(scheduler.next_due_ns() == never_ns);
  const auto reply = scheduler.answered(1, start + 50);
  REQUIRE(reply);
  CHECK(reply->intended_ns == start);
  CHECK(reply->sent_ns == start);
  CHECK(scheduler.under_way() == 3);
  CHECK(all_due(scheduler, start + 60) == std::vector<unsigned>{1});
  // Replies belong to requests in order: the second of connection 1, then the third.
  CHECK(scheduler.answered(1, start + 70)->sent_ns == start);
  const auto third = scheduler.answered(1, start + 70);
  CHECK(third->intended_ns == start + 50);
  CHECK(third->sent_ns == start + 60);
  CHECK(third->own_lag_ns == 10);
  CHECK_FALSE(scheduler.answered(1, start + 80));
}

TEST_CASE("the due time includes the think time") {
  auto scheduler = with_connections(closed_loop(1, 500), 1);
  CHECK(all_due(scheduler, start).size() == 1);
  scheduler.answered(0, start + 20);
  CHECK(scheduler.next_due_ns() == start + 520);
  CHECK(all_due(scheduler, start + 519).empty());
  CHECK(all_due(scheduler, start + 530).size() == 1);
  const auto reply = scheduler.answered(0, start + 600);
  CHECK(reply->intended_ns == start + 520);
  CHECK(reply->own_lag_ns == 10);
}

TEST_CASE("an open loop sends on schedule, on connections in turn") {
  auto scheduler = with_connections(open_loop(1e8, 2), 3);  // every 10 ns
  CHECK(all_due(scheduler, start) == std::vector<unsigned>{0});
  CHECK(scheduler.next_due_ns() == start + 10);
  CHECK(all_due(scheduler, start + 49) == std::vector<unsigned>{1, 2, 0, 1});
  CHECK(all_due(scheduler, start + 100) == std::vector<unsigned>{2});
  CHECK(scheduler.next_due_ns() == never_ns);  // no slot is free until a reply arrives
  scheduler.answered(1, start + 105);
  CHECK(scheduler.next_due_ns() == start + 60);
  CHECK(all_due(scheduler, start + 107) == std::vector<unsigned>{1});
}

TEST_CASE("waiting for a reply is not own lag") {
  auto scheduler = with_connections(open_loop(1e8), 1);
  all_due(scheduler, start);
  scheduler.answered(0, start + 45);
  CHECK(all_due(scheduler, start + 47).size() == 1);
  const auto reply = scheduler.answered(0, start + 90);
  CHECK(reply->intended_ns == start + 10);
  CHECK(reply->sent_ns - reply->intended_ns == 37);
  CHECK(reply->own_lag_ns == 2);
}

TEST_CASE("a stall of the loader is own lag, also for queued requests") {
  auto scheduler = with_connections(open_loop(1e8), 1);  // every 10 ns, one at a time
  all_due(scheduler, start);
  scheduler.answered(0, start + 5);
  // A slot was free at 10, and the loader looked again at 100.
  std::vector<std::uint64_t> own;
  for (std::uint64_t now = start + 100; own.size() < 12; now += 3) {
    REQUIRE(scheduler.take(now));
    own.push_back(scheduler.answered(0, now + 3)->own_lag_ns);
  }
  // Requests due from 10 to 90 waited for the loader until 100, and then for each other.
  CHECK(own == std::vector<std::uint64_t>{90, 80, 70, 60, 50, 40, 30, 20, 10, 0, 0, 0});
}

TEST_CASE("a stall counts as own lag even if all slots were taken") {
  auto scheduler = with_connections(open_loop(1e8), 1);
  all_due(scheduler, start);
  scheduler.stalled(start + 15, start + 55);
  scheduler.stalled(start + 55, start + 60);
  scheduler.answered(0, start + 60);
  std::vector<std::uint64_t> own;
  for (std::uint64_t now = start + 60; own.size() < 6; now += 1) {
    REQUIRE(scheduler.take(now));
    own.push_back(scheduler.answered(0, now + 1)->own_lag_ns);
  }
  CHECK(own == std::vector<std::uint64_t>{45, 40, 30, 20, 10, 0});
}

TEST_CASE("a short stall does not hide a long one before it") {
  auto scheduler = with_connections(open_loop(1e8), 1);
  all_due(scheduler, start);
  scheduler.stalled(start + 5, start + 45);
  scheduler.answered(0, start + 45);
  std::vector<std::uint64_t> own;
  // One more request was due during the stall; each is sent 1 ns late.
  for (std::uint64_t now = start + 46; own.size() < 4; now += 3) {
    REQUIRE(scheduler.take(now));
    own.push_back(scheduler.answered(0, now + 2)->own_lag_ns);
  }
  CHECK(own == std::vector<std::uint64_t>{36, 27, 18, 9});
}

TEST_CASE("requests due during the warm-up are not measured") {
  schedule plan = open_loop(1e8);
  plan.warmup_ns = 25;
  auto scheduler = with_connections(plan, 8);
  CHECK(scheduler.measured_from_ns() == start + 25);
  CHECK(scheduler.end_ns() == start + 25 + plan.duration_ns);
  CHECK(all_due(scheduler, start + 40).size() == 5);
  std::vector<bool> measured;
  for (unsigned i = 0; i < 5; ++i) measured.push_back(scheduler.answered(i, start + 50)->measured);
  CHECK(measured == std::vector<bool>{false, false, false, true, true});
}

TEST_CASE("after the end no request is due, but earlier ones are still sent") {
  auto scheduler = with_connections(open_loop(1e8), 1);
  all_due(scheduler, start);
  scheduler.end_at(start + 25);
  CHECK_FALSE(scheduler.finished(start + 30));
  scheduler.answered(0, start + 31);
  CHECK_FALSE(scheduler.finished(start + 31));
  CHECK(all_due(scheduler, start + 32).size() == 1);
  scheduler.answered(0, start + 33);
  CHECK(scheduler.take_unsent() == 1);  // due at 20, never sent
  CHECK(scheduler.finished(start + 34));

  auto closed = with_connections(closed_loop(1), 1);
  all_due(closed, start);
  closed.end_at(start + 25);
  closed.answered(0, start + 30);
  CHECK(all_due(closed, start + 31).empty());
  CHECK(closed.finished(start + 31));
}

TEST_CASE("stop_sending() leaves a backlog unsent and waits for requests in flight") {
  auto scheduler = with_connections(open_loop(1e8), 1);
  all_due(scheduler, start);
  scheduler.end_at(start + 25);
  scheduler.stop_sending();
  CHECK_FALSE(scheduler.finished(start + 30));
  scheduler.answered(0, start + 31);
  CHECK(all_due(scheduler, start + 32).empty());
  CHECK(scheduler.finished(start + 32));
  CHECK(scheduler.take_unsent() == 2);  // due at 10 and 20
}

TEST_CASE("a request limit ends a run and is divided among threads") {
  schedule plan = closed_loop(1);
  plan.max_requests = 5;
  std::size_t sent = 0;
  for (unsigned thread = 0; thread < 3; ++thread) {
    request_scheduler scheduler(plan, 4, start, thread, 3);
    for (unsigned i = 0; i < 4; ++i) scheduler.connection_up(i, start);
    const auto due = all_due(scheduler, start);
    sent += due.size();
    CHECK(scheduler.limit_reached());
    for (const unsigned connection : due) scheduler.answered(connection, start + 1);
    CHECK(all_due(scheduler, start + 2).empty());
    CHECK(scheduler.finished(start + 2));
  }
  CHECK(sent == 5);
}

TEST_CASE("a lost connection loses its requests and returns empty") {
  for (const bool open : {false, true}) {
    CAPTURE(open);
    auto scheduler = with_connections(open ? open_loop(1e9, 2) : closed_loop(2), 2);
    CHECK(all_due(scheduler, start + 10).size() == 4);
    scheduler.answered(0, start + 20);
    CHECK(scheduler.connection_down(0) == 1);
    CHECK(scheduler.under_way() == 2);
    CHECK(all_due(scheduler, start + 30).empty());
    CHECK_FALSE(scheduler.answered(0, start + 30));
    scheduler.connection_up(0, start + 40);
    CHECK(all_due(scheduler, start + 40) == std::vector<unsigned>{0, 0});
    CHECK(scheduler.connection_down(1) == 2);
  }
}
