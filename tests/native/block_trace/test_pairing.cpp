// Hand-written event sequences and the requests that result.
#include "block_trace/pairing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

namespace stallscope::block_trace {
namespace {

constexpr std::uint32_t disk = 8U << 20;

block_event at(std::uint64_t t_ns, event_kind kind, std::uint64_t sector, std::uint32_t sectors = 8,
               operation op = operation::read) {
  block_event event;
  event.t_ns = t_ns;
  event.kind = kind;
  event.device = disk;
  event.sector = sector;
  event.sectors = sectors;
  event.bytes = sectors * 512;
  event.op = op;
  event.pid = 1;
  return event;
}

block_event by(block_event event, std::int32_t pid, std::string_view name) {
  event.pid = pid;
  std::ranges::copy(name, event.comm.begin());
  return event;
}

using enum event_kind;

TEST_CASE("an inserted request has both times and the name of the inserting task") {
  pairing pairs;
  pairs.add(by(at(100, insert, 64), 42, "reader"));
  pairs.add(by(at(150, issue, 64), 7, "kworker"));
  CHECK(pairs.pending_count() == 1);
  pairs.add(by(at(400, complete, 64), 0, "swapper"));
  const auto done = pairs.take_completed();
  REQUIRE(done.size() == 1);
  CHECK(done[0].queue_ns == 50);
  CHECK(done[0].device_ns == 250);
  CHECK(done[0].end_ns == 400);
  CHECK(done[0].bytes == 4096);
  CHECK(done[0].pid == 42);
  CHECK(std::string_view(done[0].comm.data()) == "reader");
  CHECK(pairs.pending_count() == 0);
  CHECK(pairs.take_completed().empty());
}

TEST_CASE("a request without an insert has no queueing time") {
  pairing pairs;
  pairs.add(by(at(100, issue, 64), 42, "reader"));
  pairs.add(at(130, complete, 64));
  const auto done = pairs.take_completed();
  REQUIRE(done.size() == 1);
  CHECK(done[0].queue_ns == unknown_ns);
  CHECK(done[0].device_ns == 30);
  CHECK(done[0].pid == 42);
}

TEST_CASE("a requeued request waits until its last issue") {
  pairing pairs;
  pairs.add(by(at(100, insert, 64), 42, "reader"));
  pairs.add(at(110, issue, 64));
  pairs.add(at(120, requeue, 64));
  SUBCASE("inserted again") { pairs.add(by(at(125, insert, 64), 9, "kworker")); }
  SUBCASE("not inserted again") {}
  pairs.add(by(at(200, issue, 64), 9, "kworker"));
  pairs.add(at(260, complete, 64));
  const auto done = pairs.take_completed();
  REQUIRE(done.size() == 1);
  CHECK(done[0].queue_ns == 100);
  CHECK(done[0].device_ns == 60);
  CHECK(done[0].pid == 42);
  CHECK(pairs.counts().requeues == 1);
  CHECK(pairs.pending_count() == 0);
}

TEST_CASE("a requeued request without an insert waits since its first issue") {
  pairing pairs;
  pairs.add(by(at(100, issue, 64), 42, "reader"));
  pairs.add(at(120, requeue, 64));
  pairs.add(by(at(200, issue, 64), 9, "kworker"));
  pairs.add(at(260, complete, 64));
  const auto done = pairs.take_completed();
  REQUIRE(done.size() == 1);
  CHECK(done[0].queue_ns == 100);
  CHECK(done[0].device_ns == 60);
  CHECK(done[0].pid == 42);
}

TEST_CASE("a merged request disappears and the other request has the size of its issue") {
  pairing pairs;
  pairs.add(at(100, insert, 64));
  pairs.add(at(110, insert, 72));
  pairs.add(at(120, request_merge, 72));
  CHECK(pairs.pending_count() == 1);
  pairs.add(at(130, issue, 64, 16));
  pairs.add(at(200, complete, 64, 16));
  const auto done = pairs.take_completed();
  REQUIRE(done.size() == 1);
  CHECK(done[0].bytes == 8192);
  CHECK(done[0].queue_ns == 30);
  CHECK(pairs.counts().merged_requests == 1);
  CHECK(pairs.counts().begin_unseen == 0);
}

TEST_CASE("a front merge moves the request's first sector") {
  pairing pairs;
  pairs.add(at(100, insert, 64));
  pairs.add(at(110, bio_front_merge, 56));
  pairs.add(at(130, issue, 56, 16));
  pairs.add(at(200, complete, 56, 16));
  const auto done = pairs.take_completed();
  REQUIRE(done.size() == 1);
  CHECK(done[0].queue_ns == 30);
  CHECK(pairs.pending_count() == 0);
}

TEST_CASE("a request completed in parts ends with the last part") {
  pairing pairs;
  pairs.add(at(100, issue, 64, 32));
  pairs.add(at(150, complete, 64, 8));
  CHECK(pairs.take_completed().empty());
  pairs.add(at(180, complete, 72, 24));
  const auto done = pairs.take_completed();
  REQUIRE(done.size() == 1);
  CHECK(done[0].device_ns == 80);
  CHECK(done[0].bytes == 32 * 512);
  CHECK(pairs.counts().partial == 1);
}

TEST_CASE("two requests for a sector complete first in, first out, and are counted") {
  pairing pairs;
  pairs.add(at(100, issue, 64));
  pairs.add(at(110, issue, 64));
  pairs.add(at(200, complete, 64));
  pairs.add(at(230, complete, 64));
  const auto done = pairs.take_completed();
  REQUIRE(done.size() == 2);
  CHECK(done[0].device_ns == 100);
  CHECK(done[1].device_ns == 120);
  CHECK(pairs.counts().same_sector == 1);
}

TEST_CASE("requests of different operations or devices do not match") {
  pairing pairs;
  pairs.add(at(100, issue, 64));
  pairs.add(at(110, issue, 64, 8, operation::write));
  block_event other = at(120, issue, 64);
  other.device = disk + 16;
  pairs.add(other);
  pairs.add(at(200, complete, 64, 8, operation::write));
  REQUIRE(pairs.take_completed().at(0).device_ns == 90);
  other.kind = complete;
  other.t_ns = 300;
  pairs.add(other);
  REQUIRE(pairs.take_completed().at(0).device_ns == 180);
  CHECK(pairs.counts().same_sector == 0);
}

TEST_CASE("a flush belongs to the first task that requested it since the previous flush") {
  pairing pairs;
  pairs.add(by(at(90, flush_requested, 0, 0, operation::write), 42, "writer"));
  pairs.add(by(at(95, flush_requested, 0, 0, operation::write), 43, "second"));
  pairs.add(by(at(100, issue, 0, 0, operation::flush), 7, "kworker"));
  pairs.add(at(180, complete, 0, 0, operation::flush));
  pairs.add(by(at(200, issue, 0, 0, operation::flush), 7, "kworker"));
  pairs.add(at(260, complete, 0, 0, operation::flush));
  const auto done = pairs.take_completed();
  REQUIRE(done.size() == 2);
  CHECK(done[0].pid == 42);
  CHECK(done[0].queue_ns == 10);
  CHECK(done[0].device_ns == 80);
  CHECK(done[1].pid == 0);
  CHECK(done[1].queue_ns == unknown_ns);
}

TEST_CASE("a request with only a flush does not count as begin_unseen") {
  pairing pairs;
  pairs.add(at(90, flush_requested, 0, 0, operation::write));
  pairs.add(at(190, complete, 0, 0, operation::write));
  CHECK(pairs.counts().flushes_requested == 1);
  CHECK(pairs.counts().begin_unseen == 0);
  CHECK(pairs.take_completed().empty());
}

TEST_CASE("completions without a begin are counted, including a second completion") {
  pairing pairs;
  pairs.add(at(50, complete, 8));
  pairs.add(at(100, issue, 64));
  pairs.add(at(200, complete, 64));
  pairs.add(at(210, complete, 64));
  CHECK(pairs.take_completed().size() == 1);
  CHECK(pairs.counts().begin_unseen == 2);
}

TEST_CASE("a completion without an issue yields no latency") {
  pairing pairs;
  pairs.add(at(100, insert, 64));
  pairs.add(at(200, complete, 64));
  CHECK(pairs.take_completed().empty());
  CHECK(pairs.counts().begin_unseen == 1);
}

TEST_CASE("a loss discards pending requests") {
  pairing pairs;
  pairs.add(at(100, issue, 64));
  pairs.add(at(100, insert, 128));
  pairs.add(at(150, lost, 0));
  CHECK(pairs.pending_count() == 0);
  CHECK(pairs.counts().discarded == 2);
  pairs.add(at(200, issue, 64));  // the same sector again, with a new begin
  pairs.add(at(210, complete, 64));
  REQUIRE(pairs.take_completed().at(0).device_ns == 10);
}

TEST_CASE("a missed completion does not affect later requests for the sector") {
  pairing pairs;
  pairs.add(at(100, issue, 64));
  const std::uint64_t later = 100 + stale_ns + 1;
  pairs.add(at(later, issue, 64));
  pairs.add(at(later + 30, complete, 64));
  REQUIRE(pairs.take_completed().at(0).device_ns == 30);
  CHECK(pairs.counts().never_completed == 1);
  CHECK(pairs.pending_count() == 0);
}

TEST_CASE("a completion timestamp before the issue counts as out_of_order") {
  pairing pairs;
  pairs.add(at(200, issue, 64));
  pairs.add(at(100, complete, 64));
  CHECK(pairs.take_completed().empty());
  CHECK(pairs.counts().out_of_order == 1);
  CHECK(pairs.pending_count() == 0);
}

TEST_CASE("bios of a device without a request queue do not match requests") {
  pairing pairs;
  pairs.add(by(at(100, bio_queue, 64), 42, "reader"));
  pairs.add(at(150, complete, 64));  // not a request of that device
  pairs.add(at(170, bio_complete, 64));
  const auto done = pairs.take_completed();
  REQUIRE(done.size() == 1);
  CHECK(done[0].is_bio);
  CHECK(done[0].device_ns == 70);
  CHECK(done[0].queue_ns == unknown_ns);
}

TEST_CASE("an error is reported with its request") {
  pairing pairs;
  pairs.add(at(100, issue, 64));
  block_event failed = at(200, complete, 64);
  failed.error = -5;
  pairs.add(failed);
  CHECK(pairs.take_completed().at(0).error == -5);
}

}  // namespace
}  // namespace stallscope::block_trace
