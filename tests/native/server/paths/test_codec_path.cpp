#include <doctest/doctest.h>

#include <stdexcept>
#include <string>

#include "path_fixture.hpp"
#include "server/paths/codec_path.hpp"

using namespace stallscope::server;

TEST_CASE("the digest is the same on every build and architecture") {
  path_fixture fixture(make_codec_path({}));
  CHECK(fixture.reply({"CODEC", "abc"}) == "$16\r\n1afc4c7bd22c74d9\r\n");
  CHECK(fixture.reply({"codec", ""}) == "$16\r\n6a34231931d46fdb\r\n");
}

TEST_CASE("replies are the same with stages of any size and without stages") {
  std::vector<words> requests{{"PING"}, {"CODEC"}, {"CODEC", "a", "b"}};
  for (int i = 0; i < 50; ++i) {
    requests.push_back({"CODEC", std::string(static_cast<std::size_t>(i), static_cast<char>(i))});
  }
  path_fixture whole(make_codec_path({.footprint_kb = 100, .stage_kb = 100}));
  const auto expected = whole.replies(requests, false);
  CHECK(
      expected.starts_with("+untaken\r\n-ERR wrong number of arguments for 'codec' command\r\n-"));
  for (const std::size_t stage_kb : {1, 13, 35, 99}) {
    CAPTURE(stage_kb);
    path_fixture fixture(make_codec_path({.footprint_kb = 100, .stage_kb = stage_kb}));
    CHECK(fixture.replies(requests, true) == expected);
    CHECK(fixture.replies(requests, false) == expected);
  }
}

TEST_CASE("every input bit and the footprint change the digest") {
  path_fixture fixture(make_codec_path({}));
  path_fixture larger(make_codec_path({.footprint_kb = max_codec_kb, .stage_kb = 13}));
  CHECK(fixture.reply({"CODEC", "abc"}) != fixture.reply({"CODEC", "abb"}));
  CHECK(fixture.reply({"CODEC", "abc"}) != larger.reply({"CODEC", "abc"}));
}

TEST_CASE("the stages cover the footprint and are named synthetic") {
  const auto path = make_codec_path({.footprint_kb = 30, .stage_kb = 13});
  std::vector<std::string> names;
  for (const auto& step : path->steps()) {
    names.push_back(step.name);
  }
  CHECK(names == std::vector<std::string>{"codec_read", "codec_synthetic_00", "codec_synthetic_01",
                                          "codec_synthetic_02", "codec_reply"});
  CHECK(make_codec_path({})->steps().size() == 34);
}

TEST_CASE("an unauthenticated client is not served") {
  path_fixture fixture(make_codec_path({}));
  CHECK(fixture.replies({{"CODEC", "abc"}}, true, false) == "+untaken\r\n");
}

TEST_CASE("footprints larger than the code are rejected") {
  CHECK_THROWS_AS(make_codec_path({.footprint_kb = max_codec_kb + 1}), std::invalid_argument);
  CHECK_THROWS_AS(make_codec_path({.footprint_kb = 12}), std::invalid_argument);
  CHECK_THROWS_AS(make_codec_path({.stage_kb = 0}), std::invalid_argument);
}
