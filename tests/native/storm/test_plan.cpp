#include <doctest/doctest.h>

#include <string>

#include "base/failure.hpp"
#include "storm/plan.hpp"

namespace {

using stallscope::storm::read_plan;

std::string with_rounds(const std::string& rounds, const std::string& target = R"("writable":true)",
                        const std::string& more = "") {
  return R"({"schema":"stallscope.io.storm/1","target":{"path":"f","span_bytes":1048576,)" +
         target + "}," + more + R"("rounds":)" + rounds + "}";
}

std::string refusal(const std::string& text) {
  try {
    (void)read_plan(text);
  } catch (const stallscope::failure& problem) {
    CHECK(problem.code() == stallscope::exit_code::usage);
    return problem.what();
  }
  return "accepted";
}

}  // namespace

TEST_CASE("a plan is read with the documented defaults") {
  const auto read = read_plan(with_rounds(
      R"([{}, {"id":"b","limit":8,"shares":[300,100],"writer":{"depth":128},"duration_s":2.5,
          "reader":{"depth":2,"block_bytes":512},"warmup_s":0.5,"seed":7}])"));
  REQUIRE(read.rounds.size() == 2);
  const auto& defaults = read.rounds[0];
  CHECK(defaults.id == "0");
  CHECK_FALSE(defaults.limit);
  CHECK_FALSE(defaults.shares);
  CHECK(defaults.reader.depth == 1);
  CHECK(defaults.reader.block_bytes == 4096);
  CHECK(defaults.writer.depth == 0);
  const auto& named = read.rounds[1];
  CHECK(named.limit == 8);
  CHECK((*named.shares)[0] == 300);
  CHECK((*named.shares)[1] == 100);
  CHECK(named.writer.depth == 128);
  CHECK(named.writer.block_bytes == 131'072);
  CHECK(named.reader.depth == 2);
  CHECK(named.duration_s == 2.5);
  CHECK(named.seed == 7);
  CHECK(read.disk.real_time);
  CHECK_FALSE(read.rates);
  // The points by which the engine checks the target: a reader alone, then both streams.
  CHECK(read.disk.points.size() == 3);
  CHECK(read.disk.points[2].read_share == 0);
}

TEST_CASE("rates set the costs") {
  const auto read = read_plan(with_rounds("[{}]", R"("writable":false)",
                                          R"("rates":{"read_iops":100000,"read_bandwidth":1e9,
                                              "write_iops":50000,"write_bandwidth":5e8},)"));
  REQUIRE(read.rates);
  CHECK(read.rates->write_iops == 50'000);
  CHECK(refusal(with_rounds("[{}]", R"("writable":false)", R"("rates":{"read_iops":100000},)")) ==
        "the plan's rates: read_bandwidth must be positive");
}

TEST_CASE("a writer requires a writable target") {
  CHECK(refusal(with_rounds(R"([{"writer":{"depth":1}}])", R"("writable":false)")) ==
        "the plan's 0 writes, but the target is not writable");
}

TEST_CASE("an error names the invalid member") {
  CHECK(refusal("{") == "the plan's text is not JSON");
  CHECK(refusal("[]") == "the plan's document is not an object");
  CHECK(refusal(R"({"schema":"stallscope.io.plan/1"})") ==
        "the plan's schema is not stallscope.io.storm/1");
  CHECK(refusal(with_rounds("[]")) == "the plan's rounds are not a list of 1 to 10000");
  CHECK(refusal(with_rounds(R"([{"limit":0}])")) ==
        "the plan's rounds[0].limit is not a whole number from 1 to 1048576");
  CHECK(refusal(with_rounds(R"([{"shares":[100]}])")) ==
        "the plan's rounds[0].shares are not two whole numbers from 1 to 1000000");
  CHECK(refusal(with_rounds(R"([{"shares":[100,0]}])")) ==
        "the plan's rounds[0].shares are not two whole numbers from 1 to 1000000");
  CHECK(refusal(with_rounds(R"([{"reader":{"depth":0}}])")) ==
        "the plan's 0 has neither a reader nor a writer");
  CHECK(refusal(with_rounds(R"([{"reader":{"depth":5000}}])")) ==
        "the plan's rounds[0].reader.depth is not a whole number from 0 to 4096");
  CHECK(refusal(with_rounds(R"([{"reader":{"block_bytes":2097152}}])")) ==
        "the plan's 0 has blocks larger than the target's span");
  CHECK(refusal(with_rounds(R"([{"writer":{"depth":4096,"block_bytes":1048576}}])")) ==
        "the plan's 0 needs buffers of more than 1 GiB: depth x block_bytes");
  CHECK(refusal(with_rounds(R"([{"duration_s":1e9}])")).find("duration_s is not a number") !=
        std::string::npos);
}
