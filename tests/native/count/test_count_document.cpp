#include <doctest/doctest.h>

#include <cerrno>

#include "base/json.hpp"
#include "count/count_document.hpp"

using namespace stallscope;
using namespace stallscope::count;
using stallscope::json;

TEST_CASE("the document has groups, sets and unavailable events with reasons") {
  count_facts facts;
  facts.options.target = count_target::command;
  facts.options.command = {"true"};
  for (const std::string name : {"A", "\xff\xfe", "C"}) {
    facts.plan.events.emplace_back();
    facts.plan.events.back().name = name;
  }
  facts.plan.sets = {{"first", {0, 1}, {}}, {"second", {2}, {}}};
  facts.choice.groups = {{{0}}, {{1}}};
  facts.choice.groups_of_set = {{0, 1}, {}};
  facts.choice.unavailable = {{refusal_cause::held, "C", EBUSY, "held", "end it"},
                              {refusal_cause::absent, "D", 0, "absent", "none"}};
  facts.never_ran = {1};
  facts.end = {"target ended", collect::exit_status{false, 3}, 9};
  const auto document = json::parse(to_json(facts));
  CHECK(document["schema"] == "stallscope.recording/1.0");
  CHECK(document["kind"] == "counters");
  CHECK(document["target"]["kind"] == "command");
  const auto& counting = document["counting"];
  CHECK(counting["groups"][0]["ran"] == true);
  CHECK(counting["groups"][1]["ran"] == false);
  CHECK(counting["sets"][0] == json{{"name", "first"}, {"groups", {0, 1}}, {"split", true}});
  CHECK(counting["sets"][1]["groups"].empty());
  CHECK(counting["unavailable"][0]["errno"] == "EBUSY");
  CHECK(counting["unavailable"][0]["cause"] == "held");
  CHECK(counting["unavailable"][1]["errno"].is_null());
  CHECK(document["end"]["target_status"]["exited"] == 3);
  CHECK(document["clocks"]["end_monotonic_ns"] == 9);
}
