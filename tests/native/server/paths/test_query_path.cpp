#include <doctest/doctest.h>

#include <string>

#include "path_fixture.hpp"
#include "server/paths/query_path.hpp"

using namespace stallscope::server;

namespace {

words query(const std::string& json) { return {"QUERY", query_mac(json), json}; }

std::string bulk(const std::string& text) {
  return "$" + std::to_string(text.size()) + "\r\n" + text + "\r\n";
}

const std::string good =
    R"({"from": "items", "id": 17, "select": ["name", "price", "stock"], "tag": [1, "\u00e9"]})";

}  // namespace

TEST_CASE("the authentication code is HMAC-SHA256") {
  // As `openssl dgst -sha256 -mac HMAC -macopt key:"stallscope reference query"` has it.
  CHECK(query_mac("{}") == "5260cde16c20ea3e07459bc454cbee89af29070421f249b53bb9ab33e79b6dea");
}

TEST_CASE("the reply has the row, with columns in the selected order, and the tag") {
  path_fixture fixture(make_query_path());
  CHECK(fixture.reply(query(good)) ==
        bulk("{\"tag\":[1,\"\xc3\xa9\"],\"row\":{\"name\":\"items number "
             "17\",\"price\":346.23,\"stock\":527}}"));
  CHECK(fixture.reply(query(R"({"from":"people","id":2000,"select":["mail","id"]})")) ==
        bulk(R"({"row":{"mail":"kept \"here\" since 2000, until it changes","id":2000}})"));
  CHECK(fixture.reply(query(R"({"from":"people","id":2001,"select":["mail"]})")) ==
        bulk(R"({"row":null})"));
  CHECK(fixture.reply(query(R"({"from":"people","id":1,"select":[]})")) == bulk(R"({"row":{}})"));
}

TEST_CASE("a mac with capital digits is accepted") {
  path_fixture fixture(make_query_path());
  auto request = query(good);
  for (auto& digit : request[1]) {
    digit = static_cast<char>(std::toupper(digit));
  }
  CHECK(fixture.reply(request) == fixture.reply(query(good)));
}

TEST_CASE("an invalid query gets an error reply with the reason") {
  path_fixture fixture(make_query_path());
  const auto refusal = [&](const words& request) {
    auto error = fixture.reply(request);
    CHECK(error.starts_with("-ERR "));
    CHECK(error.ends_with("\r\n"));
    return error.substr(5, error.size() - 7);
  };
  CHECK(refusal({"QUERY"}) == "wrong number of arguments for 'query' command");
  CHECK(refusal({"QUERY", "a", "b", "c"}) == "wrong number of arguments for 'query' command");
  CHECK(refusal({"QUERY", "abc", good}) ==
        "query: the authentication code is not 64 hexadecimal digits");
  CHECK(refusal({"QUERY", std::string(64, 'g'), good}) ==
        "query: the authentication code is not 64 hexadecimal digits");
  CHECK(refusal({"QUERY", query_mac(good), good + " "}) ==
        "query: the authentication code does not match the JSON");
  CHECK(refusal(query(std::string(max_query_bytes + 1, ' '))) ==
        "query: the JSON is longer than 16 KB");
  CHECK(refusal(query("[]")) == "query: the JSON is not an object");
  CHECK(refusal(query("{\"a\": \"\xff\"}")).starts_with("query: not JSON: "));
  CHECK(refusal(query(std::string("{\"a\0\": 1}", 9))).starts_with("query: not JSON: "));
  CHECK(refusal(query("{\"a\":" + std::string(3000, '['))).starts_with("query: not JSON: "));
  CHECK(refusal(query(R"({"from": "items", "id": "17", "select": []})")) ==
        R"(query: "from" (text), "id" (integer) and "select" (array) are needed)");
  CHECK(refusal(query(R"({"from": "item", "id": 17, "select": []})")) == "query: unknown table");
  CHECK(refusal(query(R"({"from": "items", "id": 17, "select": ["city"]})")) ==
        "query: unknown column, or more than 16 columns");
  CHECK(refusal(query(R"({"from": "items", "id": 1, "select": ["id","id","id","id","id","id","id",)"
                      R"("id","id","id","id","id","id","id","id","id","id"]})")) ==
        "query: unknown column, or more than 16 columns");
}

TEST_CASE("deep and long tags are returned completely, whatever the previous request") {
  path_fixture fixture(make_query_path());
  const auto tagged = [](const std::string& tag) {
    return query(R"({"from":"items","id":0,"select":[],"tag":)" + tag + "}");
  };
  const auto deep = std::string(7000, '[') + std::string(7000, ']');
  CHECK(fixture.reply(tagged(deep)) == bulk(R"({"tag":)" + deep + R"(,"row":null})"));
  const auto long_text = "\"" + std::string(15'000, 'x') + "\"";
  CHECK(fixture.reply(tagged(long_text)) == bulk(R"({"tag":)" + long_text + R"(,"row":null})"));
  CHECK(fixture.reply(tagged("1")) == bulk(R"({"tag":1,"row":null})"));
}

TEST_CASE("replies are the same with and without stages, also among failing requests") {
  std::vector<words> requests{{"PING"}, {"QUERY"}, {"GET", "a"}};
  for (int i = 0; i < 40; ++i) {
    requests.push_back(query(R"({"from": "items", "id": )" + std::to_string(i * 77) +
                             R"(, "select": ["note"], "tag": )" + std::to_string(i) + "}"));
    requests.push_back({"QUERY", std::string(64, '0'), std::to_string(i)});
    requests.push_back(query("{" + std::to_string(i)));
  }
  path_fixture fixture(make_query_path());
  const auto expected = fixture.replies(requests, false);
  CHECK(expected.size() > 4000);
  CHECK(fixture.replies(requests, true) == expected);
}
