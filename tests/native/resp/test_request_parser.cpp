#include <doctest/doctest.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "resp/request_parser.hpp"

using namespace stallscope::resp;

namespace {

using words = std::vector<std::string>;

struct parsed_text {
  std::vector<words> requests;
  std::string error;
  bool operator==(const parsed_text&) const = default;
};

// Parses all requests of `text`, which arrives in pieces of `step` bytes, each time in new memory.
parsed_text read_all(std::string_view text, std::size_t step, const request_limits& limits = {}) {
  request_parser parser(limits);
  parsed_text result;
  std::string held;
  std::size_t arrived = 0;
  while (true) {
    std::string fresh(held.c_str(), held.size());
    held.swap(fresh);
    const parse_status status = parser.parse(held);
    if (status == parse_status::error) {
      result.error = parser.error();
      return result;
    }
    if (status == parse_status::incomplete) {
      CHECK(parser.consumed() == 0);
      if (arrived == text.size()) return result;
      held += text.substr(arrived, step);
      arrived = std::min(text.size(), arrived + step);
      continue;
    }
    if (status == parse_status::request) {
      result.requests.emplace_back(parser.words().begin(), parser.words().end());
    }
    REQUIRE(parser.consumed() > 0);
    held.erase(0, parser.consumed());
  }
}

parsed_text read_all(std::string_view text) {
  const parsed_text whole = read_all(text, text.size() + 1);
  for (const std::size_t step : {1U, 2U, 3U, 7U}) CHECK(read_all(text, step) == whole);
  return whole;
}

std::vector<words> requests_of(std::string_view text) {
  const parsed_text result = read_all(text);
  CHECK(result.error.empty());
  return result.requests;
}

std::string error_of(std::string_view text) { return read_all(text).error; }

}  // namespace

TEST_CASE("arrays of bulk strings, one after another") {
  CHECK(requests_of("*2\r\n$3\r\nGET\r\n$1\r\nk\r\n*1\r\n$4\r\nPING\r\n") ==
        std::vector<words>{{"GET", "k"}, {"PING"}});
  CHECK(requests_of("*2\r\n$0\r\n\r\n$4\r\n\r\n\r\n\r\n") == std::vector<words>{{"", "\r\n\r\n"}});
  CHECK(requests_of("*0\r\n*-5\r\n*1\r\n$1\r\nx\r\n") == std::vector<words>{{"x"}});
}

TEST_CASE("inline commands") {
  CHECK(requests_of("ping\r\n") == std::vector<words>{{"ping"}});
  CHECK(requests_of("  set  k\tv \n\r\n\nget k\n") ==
        std::vector<words>{{"set", "k", "v"}, {"get", "k"}});
  CHECK(requests_of(R"(set "a b" 'c d' "" '')"
                    "\n") == std::vector<words>{{"set", "a b", "c d", "", ""}});
  CHECK(requests_of(R"("\x41\n\r\t\b\a\q\"\xg1" 'it\'s \n')"
                    "\n") == std::vector<words>{{"A\n\r\t\b\aq\"xg1", "it's \\n"}});
  CHECK(requests_of("a\"b c\"\n") == std::vector<words>{{"ab c"}});
  CHECK(requests_of("\va\vb\f c \f'd'\ve\n") == std::vector<words>{{"a\vb\f", "c", "d", "e"}});
}

TEST_CASE("unclosed quotes, and quotes closed within a word, are rejected") {
  for (const char* line : {"\"a\n", "'a\n", "\"a\"b\n", "'a'b\n", "\"a\\\n", "\"\\\"\n"}) {
    CAPTURE(line);
    CHECK(error_of(line) == "Protocol error: unbalanced quotes in request");
  }
}

TEST_CASE("invalid lengths are rejected with the texts of redis") {
  for (const char* text : {"*x\r\n", "*\r\n", "*2147483648\r\n", "*99999999999999999999\r\n",
                           "*01\r\n", "* 1\r\n", "*1048577\r\n"}) {
    CAPTURE(text);
    CHECK(error_of(text) == "Protocol error: invalid multibulk length");
  }
  for (const char* text : {"*1\r\n$-1\r\n", "*1\r\n$x\r\n", "*1\r\n$\r\n", "*1\r\n$536870913\r\n",
                           "*1\r\n$99999999999999999999\r\n"}) {
    CAPTURE(text);
    CHECK(error_of(text) == "Protocol error: invalid bulk length");
  }
  CHECK(error_of("*1\r\n*1\r\n") == "Protocol error: expected '$', got '*'");
  CHECK(error_of("*1\r\n\r\n") == "Protocol error: expected '$', got ' '");
  CHECK(error_of("*2\r\n$1\r\na\r\n:1\r\n") == "Protocol error: expected '$', got ':'");
}

TEST_CASE("a line longer than 64 KiB is rejected") {
  const std::string endless(70'000, '1');
  const auto whole = [](const std::string& text) { return read_all(text, 4096).error; };
  CHECK(whole("*" + endless) == "Protocol error: too big mbulk count string");
  CHECK(whole("*1\r\n$" + endless) == "Protocol error: too big bulk count string");
  CHECK(whole(endless) == "Protocol error: too big inline request");
}

TEST_CASE("limits hold for a word, for the words and for the whole request") {
  const request_limits limits{.bulk_bytes = 10, .words = 3, .request_bytes = 40};
  CHECK(read_all("*1\r\n$11\r\n", 99, limits).error == "Protocol error: invalid bulk length");
  CHECK(read_all("*4\r\n", 99, limits).error == "Protocol error: invalid multibulk length");
  CHECK(read_all("*3\r\n$10\r\n0123456789\r\n$10\r\n0123456789\r\n$5\r\n", 99, limits).error ==
        "Protocol error: request too large");
}

TEST_CASE("unauthenticated clients may send small requests only") {
  for (const bool authenticated : {false, true}) {
    request_parser parser;
    parser.set_authenticated(authenticated);
    std::string many = "*11\r\n";
    std::string large = "*1\r\n$16385\r\n";
    const auto refused = authenticated ? parse_status::incomplete : parse_status::error;
    CHECK(parser.parse(many) == refused);
    if (!authenticated) CHECK(parser.error() == "Protocol error: unauthenticated multibulk length");
    parser = request_parser();
    parser.set_authenticated(authenticated);
    CHECK(parser.parse(large) == refused);
    if (!authenticated) CHECK(parser.error() == "Protocol error: unauthenticated bulk length");
  }
}

TEST_CASE("the parser reports the memory of its words and can release it") {
  request_parser parser;
  std::string many = "*100000\r\n";
  for (int word = 0; word < 100'000; ++word) many += "$0\r\n\r\n";
  CHECK(parser.parse(many) == parse_status::request);
  CHECK(parser.memory_bytes() >= 100'000 * sizeof(std::string_view));
  parser.release_word_memory();
  CHECK(parser.memory_bytes() == 0);
  std::string line = "PING\n";
  CHECK(parser.parse(many) == parse_status::request);
  CHECK(parser.parse(line) == parse_status::request);
  CHECK(parser.memory_bytes() == 0);
}

TEST_CASE("words are views into the input, and the expected size is known") {
  request_parser parser;
  std::string input = "*2\r\n$3\r\nGET\r\n$1000\r\nabc";
  CHECK(parser.parse(input) == parse_status::incomplete);
  const std::size_t expected = input.size() - 3 + 1002;
  CHECK(parser.bytes_expected() == expected);
  input.resize(expected, 'x');
  CHECK(parser.parse(input) == parse_status::request);
  CHECK(parser.consumed() == expected);
  for (const std::string_view word : parser.words()) {
    CHECK(
        (word.data() >= input.data() && word.data() + word.size() <= input.data() + input.size()));
  }
}
