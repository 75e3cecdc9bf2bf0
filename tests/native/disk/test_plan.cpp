#include <doctest/doctest.h>

#include <string>

#include "base/failure.hpp"
#include "disk/plan.hpp"

namespace stallscope::disk {
namespace {

std::string plan_text(const std::string& target_text, const std::string& point_text) {
  return R"({"schema":"stallscope.io.plan/1","target":{)" + target_text + R"(},"points":[{)" +
         point_text + "}]}";
}

const std::string file_text = R"("path":"/f","span_bytes":1048576)";

TEST_CASE("absent members have the documented defaults") {
  const plan read = read_plan(plan_text(file_text, ""));
  CHECK(read.target.path == "/f");
  CHECK(read.target.span_bytes == 1048576);
  CHECK_FALSE(read.target.writable);
  CHECK(read.real_time);
  CHECK_FALSE(read.cpu.has_value());
  REQUIRE(read.points.size() == 1);
  CHECK(read.points[0].id == "0");
  CHECK(read.points[0].depth == 1);
  CHECK(read.points[0].block_bytes == 4096);
  CHECK(read.points[0].engine == engine::uring);
  CHECK(read.points[0].registered);
}

TEST_CASE("members of a plan are read") {
  const plan read = read_plan(plan_text(
      R"("fd":5,"span_bytes":65536,"offset":512,"writable":true,)"
      R"("simulated":{"servers":3,"service_ns":2000,"service":"exponential"})",
      R"("id":"x","depth":7,"block_bytes":512,"pattern":"sequential","read_share":0.25,)"
      R"("rate_per_s":10.5,"warmup_s":0.5,"duration_s":2,"most_requests":9,"engine":"preadv2",)"
      R"("batch":3,"registered":false,"seed":18446744073709551615)"));
  CHECK(read.target.fd == 5);
  REQUIRE(read.target.simulated.has_value());
  CHECK(read.target.simulated->servers == 3);
  CHECK(read.target.simulated->exponential);
  const point& point = read.points[0];
  CHECK(point.depth == 7);
  CHECK(point.pattern == pattern::sequential);
  CHECK(point.read_share == 0.25);
  CHECK(point.rate_per_s == 10.5);
  CHECK(point.max_requests == 9);
  CHECK(point.engine == engine::preadv2);
  CHECK(point.batch == 3);
  CHECK_FALSE(point.registered);
  CHECK(point.seed == UINT64_MAX);
}

TEST_CASE("an error names the invalid member") {
  const auto expect_refusal = [](const std::string& text, const char* word) {
    CAPTURE(text);
    try {
      read_plan(text);
      FAIL("accepted");
    } catch (const failure& problem) {
      CHECK(problem.code() == exit_code::usage);
      CHECK(std::string{problem.what()}.find(word) != std::string::npos);
    }
  };
  expect_refusal("{", "JSON");
  expect_refusal("[]", "document");
  expect_refusal("{}", "schema");
  expect_refusal(R"({"schema":"stallscope.io.plan/1","points":[{}]})", "target");
  expect_refusal(R"({"schema":"stallscope.io.plan/1","target":{"path":"/f","span_bytes":1}})",
                 "points");
  expect_refusal(plan_text(R"("span_bytes":1048576)", ""), "path");
  expect_refusal(plan_text(R"("path":"/f","span_bytes":0)", ""), "span_bytes");
  expect_refusal(plan_text(R"("path":"/f","span_bytes":-1)", ""), "span_bytes");
  expect_refusal(plan_text(R"("path":3,"span_bytes":4096)", ""), "path");
  expect_refusal(plan_text(R"("fd":1,"span_bytes":4096)", ""), "fd");
  expect_refusal(plan_text(R"("span_bytes":4096,"simulated":{"servers":0,"service_ns":1000})", ""),
                 "servers");
  for (const char* point_text :
       {R"("depth":0)", R"("depth":4097)", R"("depth":1.5)", R"("depth":"1")", R"("block_bytes":0)",
        R"("pattern":"zigzag")", R"("read_share":1.1)", R"("rate_per_s":0)", R"("duration_s":0)",
        R"("duration_s":1e300)", R"("most_requests":0)", R"("engine":"libaio")", R"("batch":0)",
        R"("registered":1)", R"("seed":-1)"}) {
    const std::string name{point_text};
    expect_refusal(plan_text(file_text, name), name.substr(1, name.find('"', 1) - 1).c_str());
  }
  expect_refusal(plan_text(file_text, R"("block_bytes":2097152)"), "span");
  expect_refusal(plan_text(file_text, R"("depth":4096,"block_bytes":1048576)"), "1 GiB");
  expect_refusal(plan_text(file_text, R"("read_share":0.5)"), "writable");
}

}  // namespace
}  // namespace stallscope::disk
