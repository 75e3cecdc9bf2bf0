// What only pipe mode has: header records, and payloads that trail theirs.
#include <doctest/doctest.h>

#include "capture_builder.hpp"

using namespace capture_tests;
using stallscope::perf_format::event_update;
using stallscope::perf_format::feature;
using stallscope::perf_format::user_record;

namespace {

std::uint32_t number(user_record type) { return static_cast<std::uint32_t>(type); }

}  // namespace

TEST_CASE("header records give the host, names and build ids") {
  for (const order byte_order : {order::little, order::big}) {
    event_spec event;
    event.ids = {21};
    capture_builder made(byte_order, {event});
    wire host = made.body();
    host.u64(static_cast<std::uint64_t>(feature::hostname)).header_string("box");
    made.record(number(user_record::header_feature), 0, host);
    wire update = made.body();
    update.u64(static_cast<std::uint64_t>(event_update::name)).u64(21).text("my-event");
    made.record(number(user_record::event_update), 0, update);
    wire id = made.body();
    id.u32(0xffffffffU).raw(std::string(20, '\x5a')).u32(0).text("/bin/x");
    made.record(number(user_record::header_build_id), 0, id);
    made.mmap2(1, 0x1000, 0x1000, 0, "/bin/x", 1).sample(0x1000, 1, 1, 2);
    const auto done = read(made.pipe());
    CHECK(done.host.name == "box");
    CHECK(done.attributes.at(0).name == "my-event");
    CHECK(done.objects.at(0).build_id.size == 20);
  }
}

TEST_CASE("mapping records with build ids") {
  for (const order byte_order : {order::little, order::big}) {
    capture_builder made(byte_order, {event_spec{}});
    wire map = made.body();
    map.u32(1).u32(1).u64(0x1000).u64(0x1000).u64(0).u8(20).u8(0).u16(0);
    map.raw(std::string(20, 'i')).u32(5).u32(2).text("/bin/x").u32(1).u32(1).u64(1);
    made.record(PERF_RECORD_MMAP2, PERF_RECORD_MISC_USER | PERF_RECORD_MISC_MMAP_BUILD_ID, map);
    made.sample(0x1000, 1, 1, 2);
    const auto done = read(made.pipe());
    CHECK(done.objects.at(0).build_id.size == 20);
    CHECK(done.objects.at(0).build_id.bytes[19] == 'i');
    CHECK(done.objects.at(0).inode == 0);
  }
}

TEST_CASE("trailing data of a record and unknown records are skipped") {
  capture_builder made(order::big, {event_spec{}});
  made.record(number(user_record::header_tracing_data), 0, made.body().u32(16).u32(0));
  made.append("trace data here!");
  made.record(number(user_record::auxtrace), 0, made.body().u64(5).u64(0).u64(0).u64(0).u64(0));
  made.append("AUXTR");
  made.record(number(user_record::finished_round), 0, made.body());
  made.record(12'345, 0, made.body().u64(1));
  made.record(40, 0, made.body().u64(1));
  made.sample(0x1000, 1, 1, 2);
  CHECK(read(made.pipe()).samples.time_ns.size() == 1);
}

TEST_CASE("a pipe without an event attribute is an error") {
  capture_builder made(order::little, {});
  CHECK(error_of(made.pipe()).find("without an event attribute") != std::string::npos);
  made.sample(1, 1, 1, 1);
  CHECK(error_of(made.pipe()).find("before any event attribute") != std::string::npos);
}
