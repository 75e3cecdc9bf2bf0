#include <doctest/doctest.h>

#include <span>
#include <sstream>
#include <stdexcept>

#include "path_fixture.hpp"
#include "resp/request_parser.hpp"
#include "server/paths/codec_path.hpp"
#include "server/paths/query_path.hpp"
#include "server/paths/request_file.hpp"

using namespace stallscope::server;
using stallscope::resp::parse_status;

namespace {

std::string file_of(const char* path, std::uint64_t count, std::uint64_t seed) {
  std::ostringstream out;
  write_requests(out, path, count, seed);
  return out.str();
}

std::vector<words> requests_of(std::string file) {
  std::vector<words> requests;
  stallscope::resp::request_parser parser;
  std::span<char> rest(file);
  while (!rest.empty()) {
    REQUIRE(parser.parse(rest) == parse_status::request);
    requests.emplace_back(parser.words().begin(), parser.words().end());
    rest = rest.subspan(parser.consumed());
  }
  return requests;
}

}  // namespace

TEST_CASE("a file contains the requested number of requests, the same for the same seed") {
  for (const auto* path : {"kv", "query", "codec"}) {
    CAPTURE(path);
    CHECK(requests_of(file_of(path, 100, 1)).size() == 100);
    CHECK(file_of(path, 100, 1) == file_of(path, 100, 1));
    CHECK(file_of(path, 100, 1) != file_of(path, 100, 2));
    CHECK(file_of(path, 0, 1).empty());
  }
  CHECK_THROWS_AS(file_of("none", 1, 1), std::invalid_argument);
}

TEST_CASE("every request of a file gets a reply without an error") {
  path_fixture query(make_query_path());
  for (const auto& request : requests_of(file_of("query", 300, 7))) {
    CHECK(query.reply(request).starts_with("$"));
  }
  path_fixture codec(make_codec_path({}));
  for (const auto& request : requests_of(file_of("codec", 50, 7))) {
    CHECK(codec.reply(request).starts_with("$16\r\n"));
  }
}
