#include <doctest/doctest.h>

#include <cmath>
#include <stdexcept>

#include "base/json.hpp"

using stallscope::json;

TEST_CASE("a document is written with its members in the order in which they were added") {
  json line{{"event", "done"}, {"count", 3}, {"share", 0.25}, {"cpus", {0, 1}}, {"end", nullptr}};
  line["threads"] = json::array();
  CHECK(line.dump() ==
        R"({"event":"done","count":3,"share":0.25,"cpus":[0,1],"end":null,"threads":[]})");
  line["threads"].push_back({{"tid", 7}, {"idle", false}});
  line.erase("event");
  line["count"] = std::vector<std::string>{"a", "b"};
  CHECK(
      line.dump(1) ==
      "{\n \"count\": [\n  \"a\",\n  \"b\"\n ],\n \"share\": 0.25,\n \"cpus\": [\n  0,\n  1\n ],\n"
      " \"end\": null,\n \"threads\": [\n  {\n   \"tid\": 7,\n   \"idle\": false\n  }\n ]\n}");
}

TEST_CASE("pairs of a string and a value are members, all else is a list") {
  CHECK((json{{"a", 1}, {"b", 2}}).is_object());
  CHECK((json{{"a", 1}, 2}).dump() == R"([["a",1],2])");
  CHECK(json::array({"a", 1}).dump() == R"(["a",1])");
  CHECK(json::object().dump(2) == "{}");
}

TEST_CASE("numbers keep all their digits") {
  CHECK(json(INT64_MIN).dump() == "-9223372036854775808");
  CHECK(json(UINT64_MAX).dump() == "18446744073709551615");
  CHECK(json(8.0).dump() == "8.0");
  CHECK(json(1e-6).dump() == "1e-06");
  CHECK(json(0.1).dump() == "0.1");
  CHECK(json(std::nan("")).dump() == "null");
  const json parsed = json::parse("[18446744073709551615,-3,2.5]");
  CHECK(parsed[0].is_number_unsigned());
  CHECK(parsed[0].get<std::uint64_t>() == UINT64_MAX);
  CHECK_FALSE(parsed[1].is_number_unsigned());
  CHECK(parsed[1].get<int>() == -3);
  CHECK(parsed[2].get<double>() == 2.5);
  CHECK(json(7U) == json(7));
  CHECK(json(7) == 7.0);
}

TEST_CASE("text is escaped, and bytes that are not UTF-8 are replaced") {
  CHECK(json("a\"\\\n\x01").dump() == R"("a\"\\\n\u0001")");
  CHECK(json("\xc3\xa4").dump() == "\"\xc3\xa4\"");
  CHECK(json(std::string("\xff")).dump() == "\"\xef\xbf\xbd\"");
  CHECK((json{{"\"", 1}}).dump() == R"({"\"":1})");
}

TEST_CASE("text is parsed; of equal keys the last counts") {
  const json document = json::parse(R"({"b": [true, null, "x"], "a": 1, "b": {"c": []}, "a": 2})");
  CHECK(document.dump() == R"({"a":2,"b":{"c":[]}})");
  CHECK(document == json{{"b", {{"c", json::array()}}}, {"a", 2}});
  CHECK(document.find("c") == nullptr);
  CHECK(document["b"]["c"].empty());
  CHECK(document.value("d", "default") == "default");
}

TEST_CASE("text that is not JSON is refused, however deep") {
  for (const char* text : {"", "{", "[1,]", "nul", "\"\xff\"", "1 2"}) {
    CAPTURE(text);
    CHECK_FALSE(json::try_parse(text));
    CHECK_THROWS_AS(json::parse(text), std::invalid_argument);
  }
  const auto nested = [](std::size_t depth) {
    return std::string(depth, '[') + std::string(depth, ']');
  };
  CHECK(json::try_parse(nested(json::max_depth)));
  CHECK_FALSE(json::try_parse(nested(json::max_depth + 1)));
  CHECK_FALSE(json::try_parse(nested(1'000'000)));
}

TEST_CASE("a value of another kind is an error and no undefined behaviour") {
  const json list{1, 2};
  CHECK_THROWS_AS((void)list["name"], std::invalid_argument);
  CHECK_THROWS_AS((void)list[2], std::out_of_range);
  CHECK_THROWS_AS((void)list.text(), std::invalid_argument);
  CHECK_THROWS_AS((void)json("a").get<int>(), std::invalid_argument);
  CHECK_THROWS_AS((void)json(1).begin(), std::invalid_argument);
}
