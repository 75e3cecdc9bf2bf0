// Context switches, tasks, wake-ups, contended locks, registers and lost records of captures.
#include <doctest/doctest.h>

#include "capture_builder.hpp"

using namespace capture_tests;
using stallscope::capture::capture_content;
using stallscope::capture::capture_error;
using stallscope::capture::switch_columns;
using stallscope::capture::wait_columns;

namespace {

constexpr std::uint16_t out = PERF_RECORD_MISC_SWITCH_OUT;
constexpr std::uint16_t preempted = out | PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
constexpr std::uint64_t sample_type =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU;

event_spec clock_event() {
  event_spec event;
  event.sample_type = sample_type;
  event.ids = {1};
  return event;
}

event_spec switch_event() {
  event_spec event;
  event.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
  event.sample_type = sample_type | PERF_SAMPLE_REGS_USER;
  event.registers_user = 0xff01ff;  // ax to ip, r8 to r15
  event.ids = {2};
  return event;
}

event_spec waking_event() {
  event_spec event;
  event.type = PERF_TYPE_TRACEPOINT;
  event.config = 375;
  event.sample_type = sample_type | PERF_SAMPLE_RAW;
  event.ids = {3};
  return event;
}

class wait_builder {
 public:
  explicit wait_builder(order byte_order)
      : made_(byte_order, {clock_event(), switch_event(), waking_event()}) {}

  wait_builder& switched(std::uint16_t misc, std::uint32_t tid, std::uint64_t time,
                         std::uint32_t cpu = 0) {
    made_.record(PERF_RECORD_SWITCH, misc, trailer(made_.body(), tid, time, cpu));
    return *this;
  }
  wait_builder& switched_on_cpu(std::uint16_t misc, std::uint32_t tid, std::uint32_t other,
                                std::uint64_t time) {
    wire body = made_.body();
    body.u32(other).u32(other);
    made_.record(PERF_RECORD_SWITCH_CPU_WIDE, misc, trailer(body, tid, time, 1));
    return *this;
  }
  wait_builder& lost(std::uint64_t count, std::uint64_t time, std::uint32_t cpu) {
    wire body = made_.body();
    body.u64(1).u64(count);
    made_.record(PERF_RECORD_LOST, 0, trailer(body, 7, time, cpu));
    return *this;
  }
  wait_builder& task(std::uint32_t type, std::uint32_t pid, std::uint32_t tid, std::uint64_t time) {
    wire body = made_.body();
    body.u32(pid).u32(7).u32(tid).u32(7).u64(time);
    made_.record(type, 0, trailer(body, 7, time, 0, pid));
    return *this;
  }
  wait_builder& registers(std::uint32_t tid, std::uint64_t time) {
    wire body = sample(2, tid, time);
    body.u64(PERF_SAMPLE_REGS_ABI_64);
    for (std::uint64_t number = 0; number < 17; ++number) body.u64(100 + number);
    made_.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_USER, body);
    return *this;
  }
  wait_builder& waking(std::uint32_t waker, std::uint32_t wakee, std::uint64_t time,
                       std::uint8_t flags, std::string_view name = "sleeper") {
    wire body = sample(3, waker, time);
    std::string comm(name);
    comm.resize(16, '\0');
    body.u32(36).u16(375).u8(flags).u8(0).u32(waker).raw(comm).u32(wakee).u32(120).u32(1);
    made_.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, body);
    return *this;
  }
  wait_builder& switch_sample(std::uint32_t tid, std::uint32_t next, std::uint64_t time,
                              std::uint64_t state) {
    wire body = sample(3, tid, time);
    std::string comm("next");
    comm.resize(16, '\0');
    body.u32(68).u16(390).u8(0).u8(0).u32(tid).raw(comm).u32(tid).u32(120).u64(state);
    body.raw(comm).u32(next).u32(120).u32(0);
    made_.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, body);
    return *this;
  }
  wait_builder& raw_bytes(std::uint32_t size) {
    wire body = sample(3, 7, 5);
    body.u32(size).raw(std::string(size, 'r'));
    made_.record(PERF_RECORD_SAMPLE, PERF_RECORD_MISC_KERNEL, body);
    return *this;
  }
  // Names the third event; perf writes the names behind the records.
  capture_content read(std::string_view name = "sched:sched_waking") {
    wire descriptions = made_.body();
    const auto byte_order = descriptions.byte_order();
    descriptions.u32(1).u32(136).raw(attribute_bytes(waking_event(), byte_order));
    descriptions.u32(1).header_string(name).u64(3);
    wire host = made_.body();
    host.header_string("host");  // the width of the feature bits follows from this feature
    made_.feature(stallscope::perf_format::feature::hostname, host);
    made_.feature(stallscope::perf_format::feature::event_desc, descriptions);
    const std::string bytes = made_.file();
    stallscope::capture::memory_source source(std::as_bytes(std::span(bytes.data(), bytes.size())));
    return stallscope::capture::read_capture(source, {});
  }

 private:
  wire sample(std::uint64_t id, std::uint32_t tid, std::uint64_t time) {
    return made_.body().u64(id).u32(7).u32(tid).u64(time).u32(1).u32(0);
  }
  static wire trailer(wire body, std::uint32_t tid, std::uint64_t time, std::uint32_t cpu,
                      std::uint32_t pid = 7) {
    return body.u32(pid).u32(tid).u64(time).u32(cpu).u32(0).u64(1);
  }

  capture_builder made_;
};

std::int32_t tid_of(const capture_content& content, std::uint32_t thread) {
  return content.threads.at(thread).tid;
}

template <typename T>
std::vector<int> numbers(const stallscope::capture::column<T>& values) {
  return {values.values().begin(), values.values().end()};
}

}  // namespace

TEST_CASE("a sample of sched_switch is the end of one run and the begin of another") {
  for (const order byte_order : {order::little, order::big}) {
    wait_builder made(byte_order);
    made.switch_sample(8, 9, 10, 1).switch_sample(9, 8, 20, 0).switch_sample(8, 9, 30, 0x100);
    const auto content = made.read("sched:sched_switch");
    const auto& switches = content.waits.switches;
    REQUIRE(numbers(switches.time_ns) == std::vector{10, 10, 20, 20, 30, 30});
    CHECK(numbers(switches.kind) == std::vector{1, 0, 2, 0, 2, 0});
    CHECK(tid_of(content, switches.thread.values()[0]) == 8);
    CHECK(tid_of(content, switches.thread.values()[1]) == 9);
    CHECK(tid_of(content, switches.other.values()[1]) == 8);
  }
}

TEST_CASE("samples of sched_switch beside records of the same switches are not counted twice") {
  wait_builder made(order::little);
  made.switch_sample(8, 9, 10, 1)
      .switched(out, 8, 10)
      .switched(0, 9, 11)
      .switch_sample(9, 8, 20, 1);
  const auto content = made.read("sched:sched_switch");
  CHECK(numbers(content.waits.switches.time_ns) == std::vector{10, 11, 20, 20});
}

TEST_CASE("context switches have time, thread, CPU and direction in both byte orders") {
  for (const order byte_order : {order::little, order::big}) {
    wait_builder made(byte_order);
    made.switched(preempted, 8, 30, 3).switched(0, 8, 10, 2).switched(out, 9, 20);
    const auto content = made.read();
    const auto& switches = content.waits.switches;
    REQUIRE(numbers(switches.time_ns) == std::vector{10, 20, 30});
    CHECK(numbers(switches.kind) == std::vector{0, 1, 2});
    CHECK(numbers(switches.cpu) == std::vector{2, 0, 3});
    CHECK(tid_of(content, switches.thread[0]) == 8);
    CHECK(tid_of(content, switches.thread[1]) == 9);
    CHECK(switches.other[0] == switch_columns::no_thread);
  }
}

TEST_CASE("a switch of a whole CPU names the other thread unless it has ended") {
  wait_builder made(order::little);
  made.switched_on_cpu(out, 8, 0, 10).switched_on_cpu(0, 9, ~std::uint32_t{0}, 20);
  const auto content = made.read();
  const auto& switches = content.waits.switches;
  CHECK(content.threads.at(switches.other[0]).name == "swapper");
  CHECK(switches.other[1] == switch_columns::no_thread);
}

TEST_CASE("a switch record that is too short is an error") {
  capture_builder made(order::little, {clock_event()});
  wire body = made.body();
  body.u32(1);
  made.record(PERF_RECORD_SWITCH_CPU_WIDE, 0, body.u32(7).u32(8).u64(1).u64(0).u64(1));
  const std::string bytes = made.file();
  stallscope::capture::memory_source source(std::as_bytes(std::span(bytes.data(), bytes.size())));
  CHECK_THROWS_WITH_AS(stallscope::capture::read_capture(source, {}),
                       doctest::Contains("tid of a switch"), capture_error);
}

TEST_CASE("starts and exits within the recording are events of threads") {
  wait_builder made(order::little);
  made.task(PERF_RECORD_FORK, 7, 8, 0).task(PERF_RECORD_FORK, 7, 9, 50);
  made.task(PERF_RECORD_EXIT, 7, 9, 60);
  const auto content = made.read();
  REQUIRE(numbers(content.waits.tasks.time_ns) == std::vector{50, 60});
  CHECK(numbers(content.waits.tasks.kind) == std::vector{0, 1});
  CHECK(tid_of(content, content.waits.tasks.thread[1]) == 9);
}

TEST_CASE("the registers of a switch are in the order of the system call's arguments") {
  wait_builder made(order::little);
  made.waking(7, 8, 5, 0).registers(8, 10);
  const auto content = made.read();
  CHECK(numbers(content.samples.register_row) == std::vector{-1, 0});
  // Of x86: ip, sp, ax, di, si, dx, r10, r8, r9, cx.
  CHECK(numbers(content.waits.registers) ==
        std::vector{108, 107, 100, 105, 104, 103, 111, 109, 110, 102});
}

TEST_CASE("wake-ups name waker, wakee and the kind of interrupt, though names follow them") {
  for (const order byte_order : {order::little, order::big}) {
    wait_builder made(byte_order);
    made.switched(out, 8, 5).waking(7, 8, 20, 8).waking(9, 12, 10, 16, "stranger");
    const auto content = made.read();
    const auto& wakes = content.waits.wakes;
    REQUIRE(numbers(wakes.time_ns) == std::vector{10, 20});
    CHECK(numbers(wakes.flags) == std::vector{16, 8});
    CHECK(tid_of(content, wakes.waker[0]) == 9);
    CHECK(tid_of(content, wakes.wakee[1]) == 8);
    const auto& stranger = content.threads.at(wakes.wakee[0]);
    CHECK(stranger.pid == -1);
    CHECK(stranger.name == "stranger");
  }
}

TEST_CASE("a wake-up is that of the thread that had the id at its time") {
  wait_builder made(order::little);
  made.task(PERF_RECORD_FORK, 20, 9, 100).task(PERF_RECORD_EXIT, 20, 9, 200);
  made.task(PERF_RECORD_FORK, 30, 9, 300);
  made.waking(7, 9, 50, 0).waking(7, 9, 150, 0).waking(7, 9, 350, 0);
  const auto content = made.read();
  const auto pid_at = [&](std::size_t row) {
    return content.threads.at(content.waits.wakes.wakee[row]).pid;
  };
  CHECK(pid_at(0) == 20);
  CHECK(pid_at(1) == 20);
  CHECK(pid_at(2) == 30);
}

TEST_CASE("fields of other sizes and other tracepoints are no wake-ups") {
  CHECK(wait_builder(order::little).raw_bytes(12).read().waits.wakes.time_ns.size() == 0);
  wait_builder other(order::little);
  CHECK(other.waking(7, 8, 5, 0).read("sched:sched_stat").waits.wakes.time_ns.size() == 0);
}

TEST_CASE("contention for kernel locks has the lock's address") {
  wait_builder made(order::little);
  const auto content = made.waking(7, 8, 5, 0, "12345678ABCD").read("lock:contention_begin");
  const auto& contentions = content.waits.contentions;
  REQUIRE(contentions.address.size() == 1);
  CHECK(contentions.address[0] == 0x3837363534333231);
  CHECK(contentions.flags[0] == 0x44434241);
  CHECK(contentions.end[0] == 0);
}

TEST_CASE("lost records lie between the CPU's records around them") {
  wait_builder made(order::little);
  made.switched(0, 8, 10, 2).switched(out, 9, 40, 3).lost(17, 90, 2).lost(1, 95, 2);
  const auto content = made.read();
  const auto& lost = content.waits.lost;
  REQUIRE(numbers(lost.begin_ns) == std::vector{10, 90});
  CHECK(numbers(lost.end_ns) == std::vector{90, 95});
  CHECK(numbers(lost.count) == std::vector{17, 1});
  CHECK(numbers(lost.cpu) == std::vector{2, 2});
  CHECK(content.lost_records == 18);
}
