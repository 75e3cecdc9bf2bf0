// Requests that took longer than some limits.
#include <doctest/doctest.h>

#include "collect/request_latencies.hpp"

using namespace stallscope;
using collect::request_latencies;

namespace {

requests::request_mark mark(std::uint64_t time_ns, std::uint64_t id, requests::mark_action action) {
  requests::request_mark made;
  made.time_ns = time_ns;
  made.id = id;
  made.action = action;
  return made;
}

}  // namespace

TEST_CASE("requests above each limit are counted by process") {
  using enum requests::mark_action;
  request_latencies latencies{{10, 100}};
  for (const pid_t pid : {1, 2}) {
    latencies.note(mark(0, 7, begin), pid);
    latencies.note(mark(5, 7, suspend), pid);
  }
  latencies.note(mark(10, 7, end), 1);   // at the limit, not above
  latencies.note(mark(500, 7, end), 2);  // above both
  latencies.note(mark(501, 7, end), 2);  // without a begin
  CHECK(latencies.counts() == std::vector<std::uint64_t>{2, 1, 1});
}

TEST_CASE("without limits nothing is counted") {
  request_latencies latencies{{}};
  latencies.note(mark(0, 7, requests::mark_action::begin), 1);
  CHECK(latencies.counts().empty());
}

TEST_CASE("requests that never end are forgotten when there are too many") {
  using enum requests::mark_action;
  request_latencies latencies{{10}};
  for (std::uint64_t id = 0; id <= request_latencies::max_open; ++id)
    latencies.note(mark(0, id, begin), 1);
  latencies.note(mark(50, 0, end), 1);
  CHECK(latencies.counts() == std::vector<std::uint64_t>{0, 0});
}
