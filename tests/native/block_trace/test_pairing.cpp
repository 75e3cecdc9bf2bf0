// Sequences of events made by hand, and what they add up to.
#include "block_trace/pairing.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <string_view>

namespace stallscope::block_trace {
namespace {

constexpr std::uint32_t disk = 8U << 20;

block_event at(std::uint64_t t_ns, event_kind kind, std::uint64_t sector, std::uint32_t sectors = 8,
               operation op = operation::read) {
  block_event made;
  made.t_ns = t_ns;
  made.kind = kind;
  made.device = disk;
  made.sector = sector;
  made.sectors = sectors;
  made.bytes = sectors * 512;
  made.op = op;
  made.pid = 1;
  return made;
}

block_event by(block_event event, std::int32_t pid, std::string_view name) {
  event.pid = pid;
  std::ranges::copy(name, event.comm.begin());
  return event;
}

using enum event_kind;

TEST_CASE("a request that was inserted has both times and the name of who asked") {
  pairing pairs;
  pairs.take(by(at(100, insert, 64), 42, "reader"));
  pairs.take(by(at(150, issue, 64), 7, "kworker"));
  CHECK(pairs.under_way() == 1);
  pairs.take(by(at(400, complete, 64), 0, "swapper"));
  const auto done = pairs.finished();
  REQUIRE(done.size() == 1);
  CHECK(done[0].queue_ns == 50);
  CHECK(done[0].device_ns == 250);
  CHECK(done[0].end_ns == 400);
  CHECK(done[0].bytes == 4096);
  CHECK(done[0].pid == 42);
  CHECK(std::string_view(done[0].comm.data()) == "reader");
  CHECK(pairs.under_way() == 0);
  CHECK(pairs.finished().empty());
}

TEST_CASE("a request that nothing inserted has no time in the queue") {
  pairing pairs;
  pairs.take(by(at(100, issue, 64), 42, "reader"));
  pairs.take(at(130, complete, 64));
  const auto done = pairs.finished();
  REQUIRE(done.size() == 1);
  CHECK(done[0].queue_ns == unknown_ns);
  CHECK(done[0].device_ns == 30);
  CHECK(done[0].pid == 42);
}

TEST_CASE("a request that is put back waits until it is issued for the last time") {
  pairing pairs;
  pairs.take(by(at(100, insert, 64), 42, "reader"));
  pairs.take(at(110, issue, 64));
  pairs.take(at(120, requeue, 64));
  SUBCASE("inserted again") { pairs.take(by(at(125, insert, 64), 9, "kworker")); }
  SUBCASE("not inserted again") {}
  pairs.take(by(at(200, issue, 64), 9, "kworker"));
  pairs.take(at(260, complete, 64));
  const auto done = pairs.finished();
  REQUIRE(done.size() == 1);
  CHECK(done[0].queue_ns == 100);
  CHECK(done[0].device_ns == 60);
  CHECK(done[0].pid == 42);
  CHECK(pairs.counts().requeues == 1);
  CHECK(pairs.under_way() == 0);
}

TEST_CASE("one that nothing inserted waits since its first issue, once it is put back") {
  pairing pairs;
  pairs.take(by(at(100, issue, 64), 42, "reader"));
  pairs.take(at(120, requeue, 64));
  pairs.take(by(at(200, issue, 64), 9, "kworker"));
  pairs.take(at(260, complete, 64));
  const auto done = pairs.finished();
  REQUIRE(done.size() == 1);
  CHECK(done[0].queue_ns == 100);
  CHECK(done[0].device_ns == 60);
  CHECK(done[0].pid == 42);
}

TEST_CASE("requests merged into another vanish, and the other's size is that of its issue") {
  pairing pairs;
  pairs.take(at(100, insert, 64));
  pairs.take(at(110, insert, 72));
  pairs.take(at(120, request_merge, 72));
  CHECK(pairs.under_way() == 1);
  pairs.take(at(130, issue, 64, 16));
  pairs.take(at(200, complete, 64, 16));
  const auto done = pairs.finished();
  REQUIRE(done.size() == 1);
  CHECK(done[0].bytes == 8192);
  CHECK(done[0].queue_ns == 30);
  CHECK(pairs.counts().merged_requests == 1);
  CHECK(pairs.counts().begin_unseen == 0);
}

TEST_CASE("a bio merged in front moves the request's begin") {
  pairing pairs;
  pairs.take(at(100, insert, 64));
  pairs.take(at(110, bio_front_merge, 56));
  pairs.take(at(130, issue, 56, 16));
  pairs.take(at(200, complete, 56, 16));
  const auto done = pairs.finished();
  REQUIRE(done.size() == 1);
  CHECK(done[0].queue_ns == 30);
  CHECK(pairs.under_way() == 0);
}

TEST_CASE("parts of a request complete one by one, and it ends with the last") {
  pairing pairs;
  pairs.take(at(100, issue, 64, 32));
  pairs.take(at(150, complete, 64, 8));
  CHECK(pairs.finished().empty());
  pairs.take(at(180, complete, 72, 24));
  const auto done = pairs.finished();
  REQUIRE(done.size() == 1);
  CHECK(done[0].device_ns == 80);
  CHECK(done[0].bytes == 32 * 512);
  CHECK(pairs.counts().partial == 1);
}

TEST_CASE("two of the same sector are taken first come, first served, and counted") {
  pairing pairs;
  pairs.take(at(100, issue, 64));
  pairs.take(at(110, issue, 64));
  pairs.take(at(200, complete, 64));
  pairs.take(at(230, complete, 64));
  const auto done = pairs.finished();
  REQUIRE(done.size() == 2);
  CHECK(done[0].device_ns == 100);
  CHECK(done[1].device_ns == 120);
  CHECK(pairs.counts().same_sector == 1);
}

TEST_CASE("a read and a write of one sector are not mixed up, nor are two devices") {
  pairing pairs;
  pairs.take(at(100, issue, 64));
  pairs.take(at(110, issue, 64, 8, operation::write));
  block_event other = at(120, issue, 64);
  other.device = disk + 16;
  pairs.take(other);
  pairs.take(at(200, complete, 64, 8, operation::write));
  REQUIRE(pairs.finished().at(0).device_ns == 90);
  other.kind = complete;
  other.t_ns = 300;
  pairs.take(other);
  REQUIRE(pairs.finished().at(0).device_ns == 180);
  CHECK(pairs.counts().same_sector == 0);
}

TEST_CASE("a flush is of who wanted it first since the last, and of nobody known otherwise") {
  pairing pairs;
  pairs.take(by(at(90, flush_asked, 0, 0, operation::write), 42, "writer"));
  pairs.take(by(at(95, flush_asked, 0, 0, operation::write), 43, "second"));
  pairs.take(by(at(100, issue, 0, 0, operation::flush), 7, "kworker"));
  pairs.take(at(180, complete, 0, 0, operation::flush));
  pairs.take(by(at(200, issue, 0, 0, operation::flush), 7, "kworker"));
  pairs.take(at(260, complete, 0, 0, operation::flush));
  const auto done = pairs.finished();
  REQUIRE(done.size() == 2);
  CHECK(done[0].pid == 42);
  CHECK(done[0].queue_ns == 10);
  CHECK(done[0].device_ns == 80);
  CHECK(done[1].pid == 0);
  CHECK(done[1].queue_ns == unknown_ns);
}

TEST_CASE("a request that held nothing but a flush is none without a begin") {
  pairing pairs;
  pairs.take(at(90, flush_asked, 0, 0, operation::write));
  pairs.take(at(190, complete, 0, 0, operation::write));
  CHECK(pairs.counts().flushes_asked == 1);
  CHECK(pairs.counts().begin_unseen == 0);
  CHECK(pairs.finished().empty());
}

TEST_CASE("completions without a begin are counted, also the second of one request") {
  pairing pairs;
  pairs.take(at(50, complete, 8));
  pairs.take(at(100, issue, 64));
  pairs.take(at(200, complete, 64));
  pairs.take(at(210, complete, 64));
  CHECK(pairs.finished().size() == 1);
  CHECK(pairs.counts().begin_unseen == 2);
}

TEST_CASE("a completion of what was only inserted is no latency") {
  pairing pairs;
  pairs.take(at(100, insert, 64));
  pairs.take(at(200, complete, 64));
  CHECK(pairs.finished().empty());
  CHECK(pairs.counts().begin_unseen == 1);
}

TEST_CASE("a loss forgets what was under way") {
  pairing pairs;
  pairs.take(at(100, issue, 64));
  pairs.take(at(100, insert, 128));
  pairs.take(at(150, lost, 0));
  CHECK(pairs.under_way() == 0);
  CHECK(pairs.counts().discarded == 2);
  pairs.take(at(200, issue, 64));  // the same sector again: nothing of before is in its time
  pairs.take(at(210, complete, 64));
  REQUIRE(pairs.finished().at(0).device_ns == 10);
}

TEST_CASE("a completion that was missed does not spoil its sector for ever") {
  pairing pairs;
  pairs.take(at(100, issue, 64));
  const std::uint64_t later = 100 + stale_ns + 1;
  pairs.take(at(later, issue, 64));
  pairs.take(at(later + 30, complete, 64));
  REQUIRE(pairs.finished().at(0).device_ns == 30);
  CHECK(pairs.counts().never_completed == 1);
  CHECK(pairs.under_way() == 0);
}

TEST_CASE("what completes before it was issued, by its times, is told apart") {
  pairing pairs;
  pairs.take(at(200, issue, 64));
  pairs.take(at(100, complete, 64));
  CHECK(pairs.finished().empty());
  CHECK(pairs.counts().out_of_order == 1);
  CHECK(pairs.under_way() == 0);
}

TEST_CASE("bios of a device without requests are apart from requests") {
  pairing pairs;
  pairs.take(by(at(100, bio_queue, 64), 42, "reader"));
  pairs.take(at(150, complete, 64));  // no request of that device
  pairs.take(at(170, bio_complete, 64));
  const auto done = pairs.finished();
  REQUIRE(done.size() == 1);
  CHECK(done[0].of_bio);
  CHECK(done[0].device_ns == 70);
  CHECK(done[0].queue_ns == unknown_ns);
}

TEST_CASE("an error stays with its request") {
  pairing pairs;
  pairs.take(at(100, issue, 64));
  block_event failed = at(200, complete, 64);
  failed.error = -5;
  pairs.take(failed);
  CHECK(pairs.finished().at(0).error == -5);
}

}  // namespace
}  // namespace stallscope::block_trace
