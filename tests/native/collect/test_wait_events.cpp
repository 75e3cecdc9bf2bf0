#include <doctest/doctest.h>

#include <array>
#include <string>

#include "collect/tracing_data.hpp"
#include "collect/wait_events.hpp"
#include "scratch.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

constexpr const char* waking_format =
    "name: sched_waking\nID: 375\nformat:\n"
    "\tfield:int common_pid;\toffset:4;\tsize:4;\tsigned:1;\n\n"
    "\tfield:char comm[16];\toffset:8;\tsize:16;\tsigned:0;\n"
    "\tfield:pid_t pid;\toffset:24;\tsize:4;\tsigned:1;\n";

}  // namespace

TEST_CASE("a tracepoint's number and the offset of the woken thread come from its format") {
  const auto point = parse_format(waking_format);
  CHECK(point.id == 375);
  CHECK(point.pid_offset == 24);
  CHECK(parse_format("").id == 0);
}

TEST_CASE("a tracepoint is found below the second mount point, and not without tracefs") {
  const test::scratch folder;
  folder.write("second/events/sched/sched_waking/format", waking_format);
  const std::string first = folder.at("first");
  const std::string second = folder.at("second");
  const std::array both{first.c_str(), second.c_str()};
  CHECK(find_tracepoint(both, "sched", "sched_waking").id == 375);
  CHECK(find_tracepoint(std::array{first.c_str()}, "sched", "sched_waking").id == 0);
}

TEST_CASE("without tracefs, wake-ups are a refused source with a remedy") {
  const test::scratch folder;
  const std::string none = folder.at("none");
  const std::array mounts{none.c_str()};
  collect_options options;
  options.waits = true;
  event_choice choice;
  choice.event = perf_events::cpu_clock();
  const auto plan = choose_wait_events(choice, options, mounts);
  CHECK(plan.active);
  CHECK(plan.formats.points.empty());
  for (const auto& source : plan.sources) {
    if (source.name != "sched_waking") continue;
    CHECK_FALSE(source.available);
    CHECK_FALSE(source.remedy.empty());
  }
}

TEST_CASE("a recording without waits has no events for them") {
  const auto plan = choose_wait_events({}, {}, tracefs_mounts());
  CHECK_FALSE(plan.active);
  CHECK(plan.of_threads.empty());
}

TEST_CASE("the record of formats is padded to a multiple of eight bytes") {
  trace_formats formats{"page", "event", {parse_format(waking_format)}};
  formats.points.front().system = "sched";
  record_buffer out;
  put_tracing_data(out, formats);
  REQUIRE(out.bytes().size() > 12);
  CHECK((out.bytes().size() - 12) % 8 == 0);
  record_buffer empty;
  put_tracing_data(empty, {});
  CHECK(empty.bytes().empty());
}

TEST_CASE("stacks of wakers are a limited number of wake-ups, and part of the wake-ups") {
  collect_options options;
  options.waits = true;
  event_choice choice;
  choice.event = perf_events::cpu_clock();
  const auto plan = choose_wait_events(choice, options, tracefs_mounts());
  bool wake_ups = false;
  for (const auto& event : plan.of_cpus) {
    wake_ups = wake_ups || event.role == wait_role::wake_ups;
    if (event.role != wait_role::waker_stacks) continue;
    CHECK(wake_ups);
    CHECK(event.name == "sched:waker_stacks");
    CHECK(event.attribute.freq == 1);
    CHECK(event.attribute.sample_freq < 1000);
    CHECK((event.attribute.sample_type & PERF_SAMPLE_REGS_USER) != 0);
    CHECK_FALSE(event.filter.empty());
  }
}
