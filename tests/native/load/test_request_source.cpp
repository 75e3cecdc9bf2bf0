#include "load/request_source.hpp"

#include <doctest/doctest.h>

#include <map>
#include <vector>

#include "base/failure.hpp"

using namespace stallscope::load;

namespace {

std::string next(request_source& source) {
  std::string out;
  source.append_next(out);
  return out;
}

// The words of a request: GET and key, or SET, key and value.
std::vector<std::string> words_of(const std::string& request) {
  std::vector<std::string> lines;
  for (std::size_t from = 0; from < request.size();) {
    const std::size_t end = request.find("\r\n", from);
    lines.push_back(request.substr(from, end - from));
    from = end + 2;
  }
  REQUIRE(lines.size() == 1 + 2 * std::stoul(lines.at(0).substr(1)));
  std::vector<std::string> words;
  for (std::size_t i = 2; i < lines.size(); i += 2) {
    REQUIRE(lines[i - 1] == "$" + std::to_string(lines[i].size()));
    words.push_back(lines[i]);
  }
  return words;
}

std::size_t key_of(const std::vector<std::string>& words) {
  REQUIRE(words.at(1).size() == 16);
  REQUIRE(words[1].starts_with("key:"));
  return std::stoul(words[1].substr(4));
}

}  // namespace

TEST_CASE("reads and writes have the configured shares, keys and sizes") {
  request_mix mix;
  mix.keys = 50;
  mix.min_value_bytes = 0;
  mix.max_value_bytes = 20;
  mix.read_share = 0.75;
  key_requests source(mix, 3);
  std::size_t gets = 0;
  std::map<std::size_t, std::size_t> sizes;
  for (int i = 0; i < 4'000; ++i) {
    const auto words = words_of(next(source));
    CHECK(key_of(words) < 50);
    if (words[0] == "GET") {
      ++gets;
      CHECK(words.size() == 2);
    } else {
      CHECK(words[0] == "SET");
      ++sizes[words.at(2).size()];
    }
  }
  CHECK(static_cast<double>(gets) == doctest::Approx(3'000).epsilon(0.05));
  CHECK(sizes.size() == 21);
  CHECK(sizes.begin()->first == 0);
  CHECK(sizes.rbegin()->first == 20);
}

TEST_CASE("fill_requests sets every key of a thread once") {
  request_mix mix;
  mix.keys = 10;
  mix.max_value_bytes = mix.min_value_bytes = 3;
  fill_requests source(mix, 1, 1, 3);
  for (const unsigned key : {1U, 4U, 7U}) {
    const auto words = words_of(next(source));
    CHECK(words[0] == "SET");
    CHECK(key_of(words) == key);
    CHECK(words.at(2).size() == 3);
  }
}

TEST_CASE("the requests of a file are sent unchanged in a loop") {
  const std::string ping = "*1\r\n$4\r\nPING\r\n";
  const std::string echo = "*2\r\n$4\r\nECHO\r\n$3\r\na\r\n\r\n";
  const auto file =
      std::make_shared<request_file>(request_file::of_content(ping + echo + ping, "three"));
  CHECK(file->size() == 3);
  file_requests source(file, 4);  // starting with the second request
  CHECK(next(source) == echo);
  CHECK(next(source) == ping);
  CHECK(next(source) == ping);
  CHECK(next(source) == echo);
}

TEST_CASE("an invalid request file is rejected with the offset") {
  using stallscope::failure;
  const std::string ping = "*1\r\n$4\r\nPING\r\n";
  for (const std::string wrong : {"PING\r\n", "*1\r\n$4\r\nPIN", "*-1\r\n", "+OK\r\n",
                                  ">1\r\n+push\r\n*1\r\n$4\r\nPING\r\n"}) {
    CAPTURE(wrong);
    CHECK_THROWS_WITH_AS(request_file::of_content(ping + wrong, "odd"),
                         doctest::Contains("odd: no whole request begins at byte 14"), failure);
  }
  CHECK_THROWS_WITH_AS(request_file::of_content("", "none"), doctest::Contains("empty"), failure);
  CHECK_THROWS_WITH_AS(request_file("/proc/self"), doctest::Contains("not a regular file"),
                       failure);
  CHECK_THROWS_WITH_AS(request_file("/nonexistent"), doctest::Contains("No such file"), failure);
}
