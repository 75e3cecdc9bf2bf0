#include <doctest/doctest.h>

#include <nlohmann/json.hpp>

#include "stallscope/collect/recording_document.hpp"

using namespace stallscope;
using nlohmann::json;

TEST_CASE("the document is JSON whatever bytes strangers put into names") {
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

TEST_CASE("what was refused, lost and how it ended is in it") {
  recording_facts facts;
  facts.choice.event = cpu_clock();
  facts.choice.attribute = sampling_attribute(facts.choice.event, facts.choice.how);
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

TEST_CASE("the line of counters is one line of lists") {
  recording_facts facts;
  facts.choice.event = cpu_clock();
  facts.counter = event_reading{11, 22, 33, 0};
  const auto text = counter_line(facts);
  CHECK(text.find('\n') == text.size() - 1);
  const auto line = json::parse(text);
  CHECK(line["events"] == json::array({"cpu-clock"}));
  CHECK(line["values"] == json::array({11}));
  CHECK(line["thread"].is_null());
}
