#include <doctest/doctest.h>
#include <sys/stat.h>

#include <random>

#include "base/failure.hpp"
#include "base/json.hpp"
#include "collect/scratch.hpp"
#include "count/plan.hpp"
#include "long_tests.hpp"

using namespace stallscope;
using namespace stallscope::count;
using stallscope::json;

namespace {

json good() {
  return json::parse(R"({"schema": "stallscope.count-plan/1",
    "sets": [{"name": "Backend_Bound", "events": ["CYCLES", "UOPS", "CYCLES"], "leader": ""},
             {"name": "Retiring", "events": ["TOPDOWN", "SLOTS"], "leader": "SLOTS"}],
    "events": {"CYCLES": {"type": 4, "config": "0x3c"},
               "UOPS": {"type": 4, "config": 270, "config1": "0x1", "config2": "7"},
               "SLOTS": {"type": 4, "config": "0x400"},
               "TOPDOWN": {"name": "task-clock"}}})");
}

std::string refusal_of(const json& document) {
  try {
    parse_plan(document.dump(), "plan.json");
  } catch (const failure& problem) {
    CHECK(problem.code() == exit_code::usage);
    CHECK_FALSE(problem.remedy().empty());
    return problem.what();
  }
  return "";
}

std::string unread(const std::string& path) {
  try {
    return read_plan_file(path);
  } catch (const failure& problem) {
    CHECK(problem.code() == exit_code::usage);
    return problem.what();
  }
}

}  // namespace

TEST_CASE("a plan is parsed: encodings in any form, no duplicate names, the leader first") {
  const auto plan = parse_plan(good().dump(), "plan.json");
  REQUIRE(plan.sets.size() == 2);
  const auto name = [&plan](std::size_t number) { return plan.events[number].name; };
  REQUIRE(plan.sets[0].events.size() == 2);
  CHECK_FALSE(plan.sets[0].leader);
  const auto& uops = plan.events[plan.sets[0].events[1]];
  CHECK(uops.name == "UOPS");
  CHECK(uops.config == 270);
  CHECK(uops.config1 == 1);
  CHECK(uops.config2 == 7);
  CHECK(plan.events[plan.sets[0].events[0]].config == 0x3c);
  REQUIRE(plan.sets[1].leader);
  CHECK(name(*plan.sets[1].leader) == "SLOTS");
  CHECK(name(plan.sets[1].events[0]) == "SLOTS");
  const auto& topdown = plan.events[plan.sets[1].events[1]];
  CHECK_FALSE(topdown.encoded);
  CHECK(topdown.known_as == "task-clock");
}

TEST_CASE("errors name the fault and its place") {
  // The path has a key or an index after each slash.
  const auto with = [](std::string_view path, json value) {
    auto document = good();
    json* changed = &document;
    while (!path.empty()) {
      const auto step = path.substr(1, path.find('/', 1) - 1);
      path.remove_prefix(1 + step.size());
      changed =
          changed->is_array() ? &(*changed)[std::stoul(std::string{step})] : &(*changed)[step];
    }
    *changed = std::move(value);
    return refusal_of(document);
  };
  const auto says = [](const std::string& message, const char* part) {
    CAPTURE(message);
    CHECK(message.find("plan.json") != std::string::npos);
    CHECK(message.find(part) != std::string::npos);
  };
  says(with("/schema", "stallscope.count-plan/2"), "schema");
  says(with("/sets", json::array()), "'sets'");
  says(with("/sets", json::object()), "'sets'");
  says(with("/sets/0", 7), "set 1");
  says(with("/sets/1/events", "SLOTS"), "set 2");
  says(with("/sets/1/events/0", "NOBODY"), "NOBODY");
  says(with("/sets/1/leader", "NOBODY"), "NOBODY");
  says(with("/sets/1/leader", 7), "leader of set 2");
  says(with("/sets/0/events", json(std::vector<std::string>(65, "CYCLES"))), "set 1");
  says(with("/sets/0/name", ""), "name of set 1");
  says(with("/events", json::array()), "'events'");
  says(with("/events/CYCLES", 3), "CYCLES");
  says(with("/events/CYCLES/type", -1), "type of event CYCLES");
  says(with("/events/CYCLES/type", 0x1'0000'0000), "32 bits");
  says(with("/events/CYCLES/config", "0xg"), "config of event CYCLES");
  says(with("/events/CYCLES/config", "0x10000000000000000"), "64 bits");
  says(with("/events/CYCLES/config", ""), "64 bits");
  says(with("/events/CYCLES/config", 1.5), "config of event CYCLES");
  says(with("/events/CYCLES", json{{"type", 4}}), "config");
  says(with("/events/CYCLES", json{{"name", std::string(201, 'x')}}), "200 bytes");
  says(with("/events/CYCLES", json{{"name", "a\nb"}}), "control characters");
  says(refusal_of(json::array({good()})), "schema");
}

TEST_CASE("any text is parsed or is an error") {
  const auto text = good().dump();
  std::mt19937 random{7};
  for (int round = 0; round < long_tests(1000, 50'000); ++round) {
    auto broken = text;
    for (std::size_t i = 1 + random() % 4; i > 0; --i) {
      const auto at = random() % broken.size();
      if (random() % 2 == 0) {
        broken[at] = static_cast<char>(random());
      } else {
        broken.erase(at, 1 + random() % 20);
      }
    }
    try {
      const auto plan = parse_plan(broken, "plan.json");
      for (const auto& set : plan.sets) {
        for (const auto event : set.events) CHECK(event < plan.events.size());
      }
    } catch (const failure& problem) {
      CHECK(problem.code() == exit_code::usage);
    }
  }
  CHECK_THROWS_AS(parse_plan("", "plan.json"), failure);
  CHECK_THROWS_AS(parse_plan(std::string(200'000, '['), "plan.json"), failure);
}

TEST_CASE("only regular files of a limited size are read") {
  const test::scratch folder;
  CHECK(read_plan_file(folder.write("plan", "text")) == "text");
  CHECK(unread(folder.write("large", std::string((1U << 20U) + 1, ' '))).find("megabyte") !=
        std::string::npos);
  REQUIRE(::mkfifo(folder.at("pipe").c_str(), 0600) == 0);
  CHECK(unread(folder.at("pipe")).find("not a regular file") != std::string::npos);
  CHECK(unread(folder.at("none")).find("ENOENT") != std::string::npos);
  CHECK(unread("/dev/zero").find("not a regular file") != std::string::npos);
}
