#include "load/reply_parser.hpp"

#include <doctest/doctest.h>

#include <string>
#include <vector>

using stallscope::load::reply_parser;

namespace {

struct parsed_reply {
  char type;
  bool error;
  bool nil;
  std::string text;
  bool operator==(const parsed_reply&) const = default;
};

// All replies in `bytes`, fed in pieces of that size; type '?' on failure.
std::vector<parsed_reply> replies(std::string_view bytes, std::size_t piece) {
  reply_parser parser;
  std::vector<parsed_reply> all;
  for (std::size_t from = 0; from < bytes.size(); from += piece) {
    std::string_view part = bytes.substr(from, piece);
    while (!part.empty()) {
      part.remove_prefix(parser.consume(part));
      if (parser.failed()) {
        all.push_back({'?', false, false, ""});
        return all;
      }
      if (parser.complete()) {
        all.push_back(
            {parser.type(), parser.is_error(), parser.is_nil(), std::string(parser.text())});
      }
    }
  }
  return all;
}

bool fails(std::string_view bytes) {
  const auto whole = replies(bytes, bytes.size());
  return !whole.empty() && whole.back().type == '?' && whole == replies(bytes, 1);
}

}  // namespace

TEST_CASE("replies of every type are parsed, in pieces of any size") {
  const std::string bytes =
      "+OK\r\n-ERR no such thing\r\n:42\r\n$5\r\nhel\r\n\r\n$0\r\n\r\n$-1\r\n*-1\r\n*0\r\n"
      "*3\r\n:1\r\n$3\r\nabc\r\n*2\r\n+x\r\n$-1\r\n"
      "%1\r\n+key\r\n*1\r\n:1\r\n~2\r\n#t\r\n_\r\n,1.5\r\n(123\r\n=7\r\ntxt:abc\r\n!5\r\nERR "
      "x\r\n_\r\n";
  const std::vector<parsed_reply> expected = {
      {'+', false, false, "OK"},   {'-', true, false, "ERR no such thing"},
      {':', false, false, "42"},   {'$', false, false, "hel\r\n"},
      {'$', false, false, ""},     {'$', false, true, ""},
      {'*', false, true, ""},      {'*', false, false, ""},
      {'*', false, false, ""},     {'%', false, false, ""},
      {'~', false, false, ""},     {',', false, false, "1.5"},
      {'(', false, false, "123"},  {'=', false, false, "txt:abc"},
      {'!', true, false, "ERR x"}, {'_', false, true, ""}};
  for (std::size_t piece = 1; piece <= bytes.size(); ++piece) {
    CAPTURE(piece);
    CHECK(replies(bytes, piece) == expected);
  }
}

TEST_CASE("push messages are skipped") {
  CHECK(replies(">2\r\n+message\r\n$2\r\nhi\r\n:1\r\n", 3) ==
        std::vector<parsed_reply>{{':', false, false, "1"}});
}

TEST_CASE("long texts are truncated, and their ends are still detected") {
  const std::string line = "-" + std::string(1'000, 'x') + "\r\n";
  const std::string bulk = "$1000\r\n" + std::string(1'000, 'y') + "\r\n+OK\r\n";
  const auto all = replies(line + bulk, 97);
  REQUIRE(all.size() == 3);
  CHECK(all[0].text == std::string(reply_parser::max_text, 'x'));
  CHECK(all[1].text == std::string(reply_parser::max_text, 'y'));
  CHECK(all[2].text == "OK");
}

TEST_CASE("input that is not RESP fails") {
  for (const std::string_view bytes :
       {"HTTP/1.1 200 OK\r\n", "\r\n", "+OK\n", "$5\r\nhello!\r\n", "$5\r\nhello\r\r", "$\r\n",
        "$-\r\n", "$-2\r\n", "*-2\r\n", "%-1\r\n", "$5x\r\n", "$1-\r\n", "$--1\r\n", "$5\rx",
        "*1\r\nx", "$9999999999999999999\r\n", "\x16\x03\x01"}) {
    CAPTURE(bytes);
    CHECK(fails(bytes));
  }
}

TEST_CASE("lengths, depth, elements and lines are bounded") {
  CHECK(fails("$536870913\r\n"));
  CHECK(fails("*1048577\r\n"));
  CHECK(fails("%600000\r\n"));
  CHECK(fails("*1000000\r\n*1000000\r\n"));
  std::string nested;
  for (unsigned i = 0; i < reply_parser::deepest; ++i) nested += "*1\r\n";
  CHECK(replies(nested + ":1\r\n", 7).size() == 1);
  CHECK(fails(nested + "*1\r\n:1\r\n"));
  CHECK(fails("+" + std::string(reply_parser::longest_line + 1, 'x')));
}
