// What samples hold of the counters of their group becomes columns, whatever a file says of sizes.
#include <doctest/doctest.h>

#include "capture_builder.hpp"

using namespace capture_tests;
using stallscope::capture::capture_content;
using stallscope::capture::read_columns;

namespace {

constexpr std::uint64_t group_format = PERF_FORMAT_GROUP | PERF_FORMAT_ID |
                                       PERF_FORMAT_TOTAL_TIME_ENABLED |
                                       PERF_FORMAT_TOTAL_TIME_RUNNING;
constexpr std::uint64_t sampled_fields =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_READ;

// Two events of one group; `with_ids` as perf and the collector ask for.
std::vector<event_spec> group_of_two(std::uint64_t format = group_format) {
  event_spec leader;
  leader.sample_type = sampled_fields;
  leader.read_format = format;
  leader.ids = {71, 72};
  leader.flags.push_back(1);  // inherit
  event_spec member = leader;
  member.config = PERF_COUNT_SW_PAGE_FAULTS;
  member.ids = {81, 82};
  return {leader, member};
}

struct counted {
  std::uint64_t time;
  std::uint64_t leader_id;
  std::vector<std::uint64_t> values;
};

wire sample_of(const capture_builder& made, const counted& sample) {
  wire body = made.body();
  body.u64(sample.leader_id).u64(0x1000).u32(5).u32(6).u64(sample.time);
  body.u64(sample.values.size()).u64(900).u64(800);
  for (std::size_t i = 0; i < sample.values.size(); ++i)
    body.u64(sample.values[i]).u64(sample.leader_id + 10 * i);
  return body;
}

std::string file_of(order byte_order, const std::vector<counted>& samples) {
  capture_builder made(byte_order, group_of_two());
  for (const counted& sample : samples)
    made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sample_of(made, sample));
  return made.file();
}

}  // namespace

TEST_CASE("the counts of a group are stored with their samples in time order") {
  for (const order byte_order : {order::little, order::big}) {
    const capture_content content = read(
        file_of(byte_order,
                {{30, 72, {9, 90}}, {10, 71, {1, 10}}, {20, 71, {std::uint64_t{1} << 63U, 2}}}));
    REQUIRE(content.samples.read.size() == 3);
    REQUIRE(content.reads.offset.size() == 4);
    const std::uint32_t last = content.samples.read[2];  // the first of the file
    CHECK(last == 0);
    CHECK(content.samples.read[0] == 1);
    CHECK(content.reads.stream[last] == 72);
    CHECK(content.reads.enabled_ns[last] == 900);
    CHECK(content.reads.running_ns[last] == 800);
    CHECK(content.reads.offset[last + 1] - content.reads.offset[last] == 2);
    CHECK(content.reads.value[content.reads.offset[last] + 1] == 90);
    CHECK(content.reads.event[content.reads.offset[last]] == 0);
    CHECK(content.reads.event[content.reads.offset[last] + 1] == 1);
    CHECK(content.reads.value[content.reads.offset[2]] == std::uint64_t{1} << 63U);
    CHECK(content.attributes[0].inherit);
  }
}

TEST_CASE("the first reading after a stop of sampling is marked") {
  for (const order byte_order : {order::little, order::big}) {
    capture_builder made(byte_order, group_of_two());
    const auto sample = [&](const counted& sample) {
      made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sample_of(made, sample));
    };
    const auto resumed = [&](std::uint64_t time, std::uint64_t id) {
      made.record(PERF_RECORD_UNTHROTTLE, 0, made.body().u64(time).u64(id).u64(id));
    };
    sample({10, 71, {1, 10}});
    resumed(15, 71);
    sample({20, 72, {1, 10}});  // another counter of the same event
    sample({30, 71, {2, 90}});
    sample({40, 71, {3, 100}});
    resumed(45, 81);  // the member is the one that samples
    resumed(46, 999);
    sample({50, 71, {4, 110}});
    const capture_content content = read(made.file());
    const auto& paused = content.reads.paused;
    REQUIRE(paused.size() == 5);
    CHECK(std::vector<int>{paused[0], paused[1], paused[2], paused[3], paused[4]} ==
          std::vector<int>{0, 0, 1, 0, 1});
  }
}

TEST_CASE("an unknown id is marked as unknown") {
  const capture_content content = read(file_of(order::little, {{10, 71, {1, 2, 3}}}));
  CHECK(content.reads.event[0] == 0);
  CHECK(content.reads.event[2] == read_columns::unknown_event);
}

TEST_CASE("samples of events that read nothing have no reading") {
  auto events = group_of_two();
  events[1].sample_type &= ~std::uint64_t{PERF_SAMPLE_READ};
  capture_builder made(order::little, events);
  wire plain = made.body();
  plain.u64(81).u64(0x2000).u32(5).u32(6).u64(5);
  made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, plain);
  made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, sample_of(made, {6, 71, {4}}));
  made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, plain);
  const capture_content content = read(made.file());
  REQUIRE(content.samples.read.size() == 3);
  CHECK(content.samples.read[0] == read_columns::none);
  CHECK(content.samples.read[1] == read_columns::none);  // by time
  CHECK(content.samples.read[2] == 0);
}

TEST_CASE("without ids or without values there are no readings") {
  auto events = group_of_two(PERF_FORMAT_GROUP);
  capture_builder unnamed(order::little, events);
  wire body = unnamed.body();
  body.u64(71).u64(0x1000).u32(5).u32(6).u64(10).u64(2).u64(1).u64(2);
  unnamed.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body);
  CHECK(read(unnamed.file()).samples.read.size() == 0);
  CHECK(read(file_of(order::little, {{10, 71, {}}})).samples.read.size() == 0);
}

TEST_CASE("a number of values beyond the record is an error") {
  for (const std::uint64_t count : {std::uint64_t{3}, std::uint64_t{1} << 60U, ~std::uint64_t{0}}) {
    capture_builder made(order::little, group_of_two());
    wire body = made.body();
    body.u64(71).u64(0x1000).u32(5).u32(6).u64(10).u64(count).u64(1).u64(1).u64(7).u64(71);
    made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body);
    CHECK(error_of(made.file()).find("counter values") != std::string::npos);
  }
}
