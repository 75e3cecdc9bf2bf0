#include <doctest/doctest.h>

#include <string>
#include <string_view>

#include "server/shards/http_request.hpp"

using stallscope::server::http_request;

TEST_CASE("a request is complete after its empty line, however it arrives") {
  const std::string_view text = "GET /metrics?x=1 HTTP/1.1\r\nHost: a\r\n\r\n";
  http_request request;
  for (std::size_t i = 0; i + 1 < text.size(); ++i) {
    REQUIRE(request.append(text.substr(i, 1)) == http_request::state::incomplete);
  }
  REQUIRE(request.append("\n") == http_request::state::complete);
  const auto line = request.line();
  REQUIRE(line);
  CHECK(line->method == "GET");
  CHECK(line->target == "/metrics");
}

TEST_CASE("a first line of another form is rejected") {
  for (const std::string line : {"", "GET", "GET /metrics", "GET /metrics HTTP/2", " "}) {
    CAPTURE(line);
    http_request request;
    REQUIRE(request.append(line + "\r\n\r\n") == http_request::state::complete);
    CHECK_FALSE(request.line());
  }
}

TEST_CASE("a request without an end is bounded") {
  http_request request;
  CHECK(request.append(std::string(http_request::max_bytes, 'x')) ==
        http_request::state::incomplete);
  CHECK(request.append("x") == http_request::state::too_large);
}
