#include <doctest/doctest.h>

#include "base/json.hpp"
#include "collect/recording_document.hpp"

using namespace stallscope;
using namespace stallscope::collect;
using stallscope::json;

TEST_CASE("the document is valid JSON for names of any bytes") {
  recording_facts facts;
  facts.options.arguments = {"collect", "\xff\xfe\x80"};
  facts.host.host_name = "a\"b";
  const auto document = json::parse(to_json(facts));
  CHECK(document["schema"] == "stallscope.recording/1.0");
  CHECK(document["complete"] == false);
  CHECK(document["host"]["hostname"] == "a\"b");
  CHECK(document["command"].size() == 2);
  CHECK(document["counter"].is_null());
  CHECK(document["clocks"]["end_monotonic_ns"].is_null());
}

TEST_CASE("the document has refused events, losses and the end") {
  recording_facts facts;
  facts.choice.event = perf_events::cpu_clock();
  facts.choice.attribute = perf_events::sampling_attribute(facts.choice.event, facts.choice.how);
  facts.choice.refused = {{"cycles", 3, false, 2}};
  facts.lost_samples = 7;
  facts.end = {"target ended", exit_status{true, 9}, 5};
  facts.warnings = {{"a-code", "a sentence"}};
  const auto document = json::parse(to_json(facts));
  CHECK(document["source"]["event"] == "cpu-clock");
  CHECK(document["source"]["unit"] == "ns");
  CHECK(document["source"]["scope"] == "user+kernel");
  CHECK(document["source"]["ladder"][0]["refused"].get<std::string>().starts_with("ENOENT"));
  CHECK(document["losses"]["lost_samples"] == 7);
  CHECK(document["end"]["target_status"]["signalled"] == 9);
  CHECK(document["warnings"][0]["code"] == "a-code");
}

TEST_CASE("the document has the stack method and its reason for each process") {
  recording_facts facts;
  facts.options.stack_bytes = 4096;
  facts.stacks = {stack_kind::mixed,
                  "two of three",
                  {{7, stack_kind::copies, 64, 0.03}, {8, stack_kind::frame_pointers, 0, {}}}};
  const auto stacks = json::parse(to_json(facts))["stacks"];
  CHECK(stacks["requested"] == "auto");
  CHECK(stacks["chosen"] == "mixed");
  CHECK(stacks["copy_bytes"] == 4096);
  CHECK(stacks["why"] == "two of three");
  CHECK(stacks["processes"][0] ==
        json{{"pid", 7}, {"chosen", "dwarf"}, {"probed_samples", 64}, {"whole_share", 0.03}});
  CHECK(stacks["processes"][1]["whole_share"].is_null());
  facts.stacks = {};
  CHECK(json::parse(to_json(facts))["stacks"]["copy_bytes"] == 0);
}

TEST_CASE("the counter line is one line of lists") {
  recording_facts facts;
  facts.choice.event = perf_events::cpu_clock();
  facts.counter = perf_events::event_reading{11, 22, 33, 0};
  const auto text = counter_line(facts);
  CHECK(text.find('\n') == text.size() - 1);
  const auto line = json::parse(text);
  CHECK(line["events"] == json::array({"cpu-clock"}));
  CHECK(line["values"] == json::array({11}));
  CHECK(line["thread"].is_null());
  facts.counter.reset();
  const auto unread = json::parse(counter_line(facts));
  CHECK(unread["values"] == json::array({nullptr}));
  CHECK(unread["time_enabled_ns"].is_null());
  CHECK(unread["time_running_ns"].is_null());
}

TEST_CASE("the document names the group's events with their counts") {
  recording_facts facts;
  facts.choice.event = perf_events::find_event("task-clock");
  facts.choice.leader = perf_events::find_event("SLOTS=4:0x400");
  facts.choice.members = {perf_events::find_event("page-faults")};
  CHECK(json::parse(to_json(facts))["group"].is_null());
  facts.choice.how.read_group = true;
  facts.choice.how.inherit = false;
  CHECK(json::parse(to_json(facts))["group"]["counts"].is_null());
  facts.counter = perf_events::event_reading{5, 1, 1, 0, {400, 7}};
  const auto group = json::parse(to_json(facts))["group"];
  CHECK(group["leader"] == "SLOTS");
  CHECK(group["events"] == json{"SLOTS", "page-faults"});
  CHECK(group["counts"] == json{400, 7});
  CHECK(group["inherited"] == false);
  const auto line = json::parse(counter_line(facts));
  CHECK(line["events"] == json{"task-clock", "SLOTS", "page-faults"});
  CHECK(line["values"] == json{5, 400, 7});
}
