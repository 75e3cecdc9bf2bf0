#include <doctest/doctest.h>
#include <fcntl.h>

#include <sstream>

#include "base/json.hpp"
#include "collect/scratch.hpp"
#include "count/counter_log.hpp"

using namespace stallscope;
using namespace stallscope::count;
using stallscope::json;

TEST_CASE("the first line names the groups and every further line is a reading") {
  const test::scratch folder;
  counter_log log{descriptor{::open(folder.at("log").c_str(), O_WRONLY | O_CREAT, 0600)}};
  log.begin({{{0, {"a", "b"}}, {1, {"c"}}}, "pid", 100, 7});
  log.add({10, 0}, 0, {42, {}, {}, {}}, {5, 4, {1, UINT64_MAX}});
  CHECK(folder.read("log").find("\"v\"") == std::string::npos);  // a window is written whole
  log.flush();
  std::istringstream lines{folder.read("log")};
  std::string line;
  REQUIRE(std::getline(lines, line));
  const auto header = json::parse(line);
  CHECK(header["schema"] == "stallscope.counters/1");
  CHECK(header["window_ns"] == 100);
  CHECK(header["start_ns"] == 7);
  CHECK(header["groups"][1] == json{{"group", 1}, {"events", {"c"}}, {"scope", "pid"}});
  REQUIRE(std::getline(lines, line));
  CHECK(json::parse(line) == json::parse(R"({"t": 10, "g": 0, "w": 0, "scope": {"pid": 42},
      "enabled": 5, "running": 4, "v": [1, 18446744073709551615]})"));
  CHECK(log.size_bytes() == folder.read("log").size());
  CHECK(log.lines() == 1);
}

TEST_CASE("scopes are named by their kind, for names of any bytes") {
  const perf_events::group_reading reading{1, 1, {2}};
  const auto scope = [&reading](const line_scope& of) {
    return json::parse(to_line({1, 2}, 3, of, reading))["scope"];
  };
  CHECK(scope({7, 8, {}, {}}) == json{{"pid", 7}, {"tid", 8}});
  CHECK(scope({{}, {}, 0, {}}) == json{{"cpu", 0}});
  CHECK(scope({{}, {}, 3, "box"}) == json{{"cpu", 3}, {"cgroup", "box"}});
  CHECK(scope({{}, {}, 3, "\xff\"\n"})["cgroup"].get<std::string>().ends_with("\"\n"));
}
