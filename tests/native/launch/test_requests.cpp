#include "launch/requests.hpp"

#include <doctest/doctest.h>
#include <unistd.h>

#include <array>
#include <cstdint>
#include <string>

#include "base/descriptor.hpp"
#include "base/failure.hpp"

using namespace stallscope::launch;

namespace {

using numbers = std::array<std::uint64_t, static_cast<std::size_t>(request_field::count)>;

// Returns the command that a request decodes to.
std::optional<command> decoded(const numbers& fields, const std::string& strings) {
  std::array<int, 2> ends{};
  REQUIRE(::pipe(ends.data()) == 0);
  const stallscope::descriptor read(ends[0]);
  stallscope::descriptor write(ends[1]);
  REQUIRE(::write(write.get(), fields.data(), sizeof fields) == sizeof fields);
  REQUIRE(::write(write.get(), strings.data(), strings.size()) ==
          static_cast<ssize_t>(strings.size()));
  write.reset();
  return read_request(read.get());
}

}  // namespace

TEST_CASE("a request has limits, a directory, arguments and an environment") {
  using namespace std::string_literals;
  const std::string strings = "/tmp\0/bin/echo\0two words\0A=1\0"s;
  const auto requested = decoded({5, 6, 7, 1, 2, 1, strings.size()}, strings);
  REQUIRE(requested);
  CHECK(requested->time_limit.count() == 5);
  CHECK(requested->grace.count() == 6);
  CHECK(requested->output_limit == 7);
  CHECK(requested->is_server);
  CHECK(requested->directory == "/tmp");
  CHECK(requested->arguments == std::vector<std::string>{"/bin/echo", "two words"});
  CHECK(requested->environment == std::vector<std::string>{"A=1"});
}

TEST_CASE("an incomplete request is the end of the input") {
  CHECK_FALSE(decoded({0, 0, 0, 0, 1, 0, 100}, "short"));
}

TEST_CASE("a malformed request is refused") {
  CHECK_THROWS_AS(decoded({0, 0, 0, 0, 0, 0, 1}, std::string(1, '\0')), stallscope::failure);
  CHECK_THROWS_AS(decoded({0, 0, 0, 0, 9, 0, 1}, "x"), stallscope::failure);
  CHECK_THROWS_AS(decoded({0, 0, 0, 0, 1, 0, std::uint64_t{1} << 40U}, ""), stallscope::failure);
  CHECK_THROWS_AS(decoded({0, 0, 0, 0, 2, 0, 3}, "abc"), stallscope::failure);
}
