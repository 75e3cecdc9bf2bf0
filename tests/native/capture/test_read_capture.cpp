// Whole captures, of both formats and byte orders.
#include <doctest/doctest.h>
#include <zstd.h>

#include "capture_builder.hpp"

using namespace capture_tests;
using stallscope::perf_format::feature;

namespace {

// One process whose mapping is replaced between its two samples, written out of order.
capture_builder two_moments(order byte_order) {
  event_spec event;
  event.ids = {7};
  capture_builder made(byte_order, {event});
  made.sample(code + 0x10, 100, 101, 3000);
  made.comm(100, 100, "first", 0).comm(100, 100, "main", 10).comm(100, 101, "worker", 20);
  made.mmap2(100, code, 0x1000, 0x2000, "/opt/old", 30);
  made.mmap2(100, code, 0x1000, 0x5000, "/opt/new", 2000);
  made.sample(code + 0x10, 100, 100, 1000);
  return made;
}

void check_two_moments(const stallscope::capture::capture_content& read) {
  REQUIRE(read.samples.time_ns.size() == 2);
  CHECK(read.samples.time_ns[0] == 1000);
  CHECK(read.samples.time_ns[1] == 3000);
  CHECK(frame_text(read, 0, 0) == "/opt/old+0x2010/0");
  CHECK(frame_text(read, 1, 0) == "/opt/new+0x5010/0");
  const auto& first = read.threads[read.samples.thread[0]];
  const auto& second = read.threads[read.samples.thread[1]];
  CHECK(first.name == "main");
  CHECK(second.name == "worker");
  CHECK(second.process_name == "main");
  CHECK(second.pid == 100);
  CHECK(second.tid == 101);
  CHECK(read.samples.cpu[0] == -1);
  CHECK(read.attributes.at(0).name == "cpu-clock");
  CHECK(read.attributes.at(0).frequency_hz == 999);
}

}  // namespace

TEST_CASE("samples are resolved against the mappings at their time") {
  for (const order byte_order : {order::little, order::big}) {
    CAPTURE(static_cast<int>(byte_order));
    const auto piped = read(two_moments(byte_order).pipe());
    check_two_moments(piped);
    CHECK(piped.pipe);
    CHECK(piped.big_endian == (byte_order == order::big));
    const auto filed = read(two_moments(byte_order).file());
    check_two_moments(filed);
    CHECK_FALSE(filed.pipe);
    CHECK(filed.bytes_read == two_moments(byte_order).file().size());
  }
}

TEST_CASE("call chains become frames, callers one byte before the return address") {
  event_spec event;
  event.sample_type |= PERF_SAMPLE_CALLCHAIN;
  for (const order byte_order : {order::little, order::big}) {
    capture_builder made(byte_order, {event});
    made.mmap2(5, code, 0x10000, 0, "/bin/x", 1);
    wire chain = made.body();
    chain.u64(kernel_text).u32(5).u32(5).u64(10).u64(7);
    chain.u64(PERF_CONTEXT_KERNEL).u64(kernel_text).u64(kernel_text + 0x20);
    chain.u64(PERF_CONTEXT_USER).u64(code + 0x10).u64(code + 0x40).u64(0x10);
    made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, chain);
    const auto done = read(made.pipe());
    REQUIRE(depth_of(done, 0) == 5);
    CHECK(frame_text(done, 0, 0) == "?+0xffffffff81000000/1");
    CHECK(frame_text(done, 0, 1) == "?+0xffffffff8100001f/1");
    // Where user code was left is no return address.
    CHECK(frame_text(done, 0, 2) == "/bin/x+0x10/0");
    CHECK(frame_text(done, 0, 3) == "/bin/x+0x3f/0");
    CHECK(frame_text(done, 0, 4) == "?+0xf/0");
  }
}

TEST_CASE("the kernel's map loses its symbol and keeps absolute addresses") {
  capture_builder made(order::little, {event_spec{}});
  wire map = made.body();
  map.u32(0xffffffffU).u32(0).u64(kernel_text).u64(~std::uint64_t{0}).u64(kernel_text);
  map.text("[kernel.kallsyms]_stext").u32(0).u32(0).u64(0);
  made.record(PERF_RECORD_MMAP, PERF_RECORD_MISC_KERNEL, map);
  made.sample(kernel_text + 5, 1, 1, 9, PERF_RECORD_MISC_KERNEL);
  const auto done = read(made.pipe());
  CHECK(frame_text(done, 0, 0) == "[kernel.kallsyms]+0xffffffff81000005/1");
  CHECK(done.objects.at(0).kernel);
}

TEST_CASE("equal chains share a stack, equal places in a file share a frame") {
  capture_builder made(order::little, {event_spec{}});
  made.mmap2(1, code, 0x1000, 0, "/bin/x", 1).mmap2(2, code + 0x7000, 0x1000, 0, "/bin/x", 2);
  made.sample(code, 1, 1, 3).sample(code + 0x7000, 2, 2, 4).sample(code, 1, 1, 5);
  const auto done = read(made.pipe());
  CHECK(done.stacks.kind.size() == 1);
  CHECK(done.samples.stack[0] == done.samples.stack[1]);
  CHECK(done.samples.stack[0] == done.samples.stack[2]);
  CHECK(done.objects.size() == 1);
}

TEST_CASE("samples of several events are assigned by id") {
  event_spec clock;
  clock.sample_type |= PERF_SAMPLE_IDENTIFIER;
  clock.ids = {11, 12};
  event_spec other = clock;
  other.config = PERF_COUNT_SW_TASK_CLOCK;
  other.sample_type |= PERF_SAMPLE_PERIOD;
  other.ids = {13};
  for (const order byte_order : {order::little, order::big}) {
    capture_builder made(byte_order, {clock, other});
    made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
                made.body().u64(13).u64(code).u32(1).u32(1).u64(5).u64(4'000));
    made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER,
                made.body().u64(12).u64(code).u32(1).u32(1).u64(6));
    const auto done = read(made.file());
    CHECK(done.samples.event[0] == 1);
    CHECK(done.samples.period[0] == 4'000);
    CHECK(done.samples.event[1] == 0);
    CHECK(done.attributes.at(1).name == "task-clock");
    made.record(PERF_RECORD_SAMPLE, 0, made.body().u64(99).u64(code).u32(1).u32(1).u64(7));
    CHECK(error_of(made.file()).find("without the id") != std::string::npos);
  }
}

TEST_CASE("features name the host and the events and give build ids by name") {
  for (const order byte_order : {order::little, order::big}) {
    event_spec event;
    event.flags = {freq_flag, sample_id_all_flag, use_clockid_flag, exclude_kernel_flag};
    event.clock_id = 1;
    capture_builder made(byte_order, {event});
    made.mmap2(1, code, 0x1000, 0, "/bin/x", 1).sample(code, 1, 1, 2);
    wire id = made.body();
    id.u32(0).u16(1U << 15U).u16(48).u32(1).raw(std::string(20, 'b')).u8(16).raw("\0\0\0");
    id.raw(std::string_view("\0\0\0", 3)).text("/bin/x");
    made.feature(feature::build_id, id);
    made.feature(feature::hostname, made.body().header_string("box"));
    made.feature(feature::osrelease, made.body().header_string("6.1"));
    made.feature(feature::arch, made.body().header_string("riscv64"));
    made.feature(feature::cmdline,
                 made.body().u32(2).header_string("perf").header_string("record"));
    wire names = made.body();
    names.u32(1).u32(136).raw(attribute_bytes(event, byte_order)).u32(0).header_string("clock:u");
    made.feature(feature::event_desc, names);
    const auto done = read(made.file());
    CHECK(done.host.name == "box");
    CHECK(done.host.kernel_release == "6.1");
    CHECK(done.host.architecture == "riscv64");
    CHECK(done.host.command_line == std::vector<std::string>{"perf", "record"});
    CHECK(done.attributes.at(0).name == "clock:u");
    CHECK(done.attributes.at(0).clock_id == 1);
    CHECK(done.attributes.at(0).exclude_kernel);
    CHECK_FALSE(done.attributes.at(0).exclude_user);
    CHECK(done.objects.at(0).build_id.size == 16);
    CHECK(done.objects.at(0).build_id.bytes[15] == 'b');
  }
}

TEST_CASE("losses and throttling are counted") {
  capture_builder made(order::big, {event_spec{}});
  made.record(PERF_RECORD_LOST, 0, made.body().u64(7).u64(40));
  made.record(PERF_RECORD_LOST, 0, made.body().u64(7).u64(2));
  made.record(PERF_RECORD_LOST_SAMPLES, 0, made.body().u64(5));
  made.record(PERF_RECORD_LOST_SAMPLES, 1U << 15U, made.body().u64(1'000));
  made.record(PERF_RECORD_THROTTLE, 0, made.body().u64(1).u64(2).u64(3));
  const auto done = read(made.pipe());
  CHECK(done.lost_records == 42);
  CHECK(done.lost_samples == 5);
  CHECK(done.throttles == 1);
}

TEST_CASE("records of unknown types are skipped and counted") {
  capture_builder made(order::little, {event_spec{}});
  made.record(62, 0, made.body().u64(1).u64(1).u64(0x1000));
  made.record(63, 0, made.body().u64(1));
  made.record(200, 0, made.body().u64(1));
  const auto done = read(made.pipe());
  CHECK(done.unknown_records == 3);
}

TEST_CASE("records without time keep the order of the file") {
  event_spec event;
  event.sample_type = PERF_SAMPLE_IP | PERF_SAMPLE_TID;
  event.flags = {};
  capture_builder made(order::little, {event});
  const auto sample = [&](std::uint64_t ip) {
    made.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, made.body().u64(ip).u32(1).u32(1));
  };
  const auto map = [&](const char* path) {
    wire body = made.body();
    body.u32(1).u32(1).u64(code).u64(0x1000).u64(0).text(path);
    made.record(PERF_RECORD_MMAP, PERF_RECORD_MISC_USER, body);
  };
  sample(code);
  map("/bin/a");
  sample(code);
  map("/bin/b");
  sample(code);
  const auto done = read(made.pipe());
  CHECK(frame_text(done, 0, 0) == "?+0x400000/0");
  CHECK(frame_text(done, 1, 0) == "/bin/a+0x0/0");
  CHECK(frame_text(done, 2, 0) == "/bin/b+0x0/0");
  CHECK(done.samples.time_ns[2] == 0);
  CHECK(done.samples.period[0] == 999);
}

TEST_CASE("compressed records hold records that may be split between them") {
  std::string inner;
  {
    capture_builder records(order::little, {event_spec{}});
    records.mmap2(1, code, 0x1000, 0, "/bin/x", 1).sample(code, 1, 1, 2).sample(code, 1, 1, 3);
    inner = records.pipe().substr(16 + 8 + 136);
  }
  std::string packed(ZSTD_compressBound(inner.size()), '\0');
  packed.resize(ZSTD_compress(packed.data(), packed.size(), inner.data(), inner.size(), 1));
  for (const std::uint32_t type : {81U, 83U}) {
    for (std::size_t cut = 0; cut <= packed.size(); ++cut) {
      capture_builder made(order::little, {event_spec{}});
      for (const std::string& part : {packed.substr(0, cut), packed.substr(cut)}) {
        wire body = made.body();
        type == 83 ? body.u64(part.size()).raw(part).raw("pad") : body.raw(part);
        made.record(type, 0, body);
      }
      const auto done = read(made.pipe());
      REQUIRE(done.samples.time_ns.size() == 2);
      REQUIRE(frame_text(done, 1, 0) == "/bin/x+0x0/0");
    }
  }
}

TEST_CASE("a column holds equal values once, and different ones by row") {
  stallscope::capture::memory_budget budget(1'000'000);
  stallscope::capture::uniform_column<std::uint64_t> periods(budget);
  for (int row = 0; row < 3; ++row) periods.push_back(40);
  CHECK(periods.is_uniform());
  CHECK(periods.size() == 3);
  CHECK(periods[2] == 40);
  periods.push_back(50);
  periods.push_back(40);
  CHECK_FALSE(periods.is_uniform());
  CHECK(periods.size() == 5);
  CHECK(std::vector<std::uint64_t>(periods.data(), periods.data() + 5) ==
        std::vector<std::uint64_t>{40, 40, 40, 50, 40});
}
