#include "memory/plan.hpp"

#include <doctest/doctest.h>

#include "base/json.hpp"

using stallscope::json;
using namespace stallscope::memory;

namespace {

std::string plan_with(const std::string& point) {
  return R"({"schema":"stallscope.memory-plan/1","repeats":3,"repeat_ns":100000,"points":[)" +
         point + "]}";
}

}  // namespace

TEST_CASE("parse_plan() reads the points in order") {
  const measurement_plan plan = parse_plan(
      plan_with(R"({"lines":64,"stride_bytes":4160,"pages":"huge","cpus":[1,0],"node":2},)"
                R"({"lines":2,"stride_bytes":64,"pages":"small","cpus":[0],"node":null})"));
  CHECK(plan.pace.repeats == 3);
  CHECK(plan.pace.repeat_ns == 100000);
  REQUIRE(plan.points.size() == 2);
  CHECK(plan.points[0].lines == 64);
  CHECK(plan.points[0].stride_bytes == 4160);
  CHECK(plan.points[0].pages == page_kind::huge);
  CHECK(plan.points[0].cpus == std::vector<int>{1, 0});
  CHECK(plan.points[0].node == 2);
  CHECK_FALSE(plan.points[1].node.has_value());
}

TEST_CASE("an invalid plan is rejected and the invalid point is named") {
  for (const char* point :
       {"3", R"({"lines":1,"stride_bytes":64,"pages":"huge","cpus":[0]})",
        R"({"lines":-5,"stride_bytes":64,"pages":"huge","cpus":[0]})",
        R"({"lines":2.5,"stride_bytes":64,"pages":"huge","cpus":[0]})",
        R"({"lines":18446744073709551615,"stride_bytes":64,"pages":"huge","cpus":[0]})",
        R"({"lines":64,"stride_bytes":65,"pages":"huge","cpus":[0]})",
        R"({"lines":64,"stride_bytes":0,"pages":"huge","cpus":[0]})",
        R"({"lines":64,"stride_bytes":64,"pages":"large","cpus":[0]})",
        R"({"lines":64,"stride_bytes":64,"pages":7,"cpus":[0]})",
        R"({"lines":64,"stride_bytes":64,"pages":"huge","cpus":[]})",
        R"({"lines":64,"stride_bytes":64,"pages":"huge","cpus":[-1]})",
        R"({"lines":64,"stride_bytes":64,"pages":"huge","cpus":["0"]})",
        R"({"lines":64,"stride_bytes":64,"pages":"huge","cpus":[0],"node":5000})"}) {
    CAPTURE(point);
    CHECK_THROWS_WITH_AS(parse_plan(plan_with(point)), doctest::Contains("point 0: "), plan_error);
  }
  for (const char* text :
       {"", "[]", "{", R"({"schema":"stallscope.memory-plan/2"})", R"({"schema":7})",
        R"({"schema":"stallscope.memory-plan/1","repeats":0})",
        R"({"schema":"stallscope.memory-plan/1","repeats":1,"repeat_ns":1e5})"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_plan(text), plan_error);
  }
}

TEST_CASE("a plan names the order of a ring and the events to count") {
  const measurement_plan plan = parse_plan(
      R"({"schema":"stallscope.memory-plan/1","repeats":3,"repeat_ns":100000,)"
      R"("events":["task-clock","misses=4:0x20d1"],"points":[)"
      R"({"lines":64,"stride_bytes":64,"pages":"huge","cpus":[0],"order":"ascending"},)"
      R"({"lines":64,"stride_bytes":64,"pages":"huge","cpus":[0],"order":"prefetched"}]})");
  CHECK(plan.points[0].order == chase_order::ascending);
  CHECK(plan.points[1].order == chase_order::prefetched);
  REQUIRE(plan.events.size() == 2);
  CHECK(plan.events[1].name == "misses");
  CHECK(plan.events[1].config == 0x20d1);
  CHECK_THROWS_WITH_AS(
      parse_plan(
          plan_with(R"({"lines":64,"stride_bytes":64,"pages":"huge","cpus":[0],"order":"back"})")),
      doctest::Contains("order"), plan_error);
}

TEST_CASE("point_line() encodes a refused counter as null, with the reason") {
  thread_chase thread;
  thread.latency_ns = {1.5, 1.25};
  thread.counts_per_step = {{"cycles", std::nullopt, 2}, {"instructions", 3.0}};
  thread.pages = {.kind = "small", .page_bytes = 4096};
  thread.pages_by_node = {{0, 3}, {1, 1}};
  const auto line = json::parse(point_line(4, {thread, thread}));
  CHECK(line["index"] == 4);
  REQUIRE(line["threads"].size() == 2);
  const auto& first = line["threads"][0];
  CHECK(first["latency_ns"] == json({1.5, 1.25}));
  CHECK(first["counts_per_step"]["cycles"].is_null());
  CHECK(first["counts_per_step"]["instructions"] == 3.0);
  CHECK(first["counters_refused"]["cycles"] == "No such file or directory");
  CHECK_FALSE(first["counters_refused"].contains("instructions"));
  CHECK(first["pages_by_node"]["1"] == 1);
}
