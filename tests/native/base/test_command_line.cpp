#include "base/command_line.hpp"

#include <doctest/doctest.h>

#include <cstdint>
#include <optional>

namespace {

namespace cli = stallscope::cli;
using stallscope::failure;

struct values {
  int port = 7;
  std::optional<std::uint64_t> count;
  std::vector<int> pids;
  std::string mode = "slow";
  std::uint64_t size = 0;
  bool verbose = false;
};

bool parse(values& into, const std::vector<std::string>& words) {
  cli::parser app("Measures", "stallscope-measure");
  const cli::option port =
      app.add_option("--port", into.port, "TCP port").check(cli::range(0, 65535));
  app.add_option("--count", into.count, "Number").excludes(port);
  app.add_option("-p,--pid", into.pids, "Processes").delimiter(',');
  app.add_option("--mode", into.mode, "Speed").transform(cli::one_of_in_any_case({"slow", "fast"}));
  app.add_option("--size", into.size, "Size").transform(cli::size_in_bytes());
  cli::command run = app.add_subcommand("run", "Run");
  run.before_options(
      [&into](cli::command& named) { named.add_flag("--verbose", into.verbose, "Print all"); });
  return stallscope::parse_arguments(app, words);
}

std::string message_of(const std::vector<std::string>& words) {
  values ignored;
  try {
    static_cast<void>(parse(ignored, words));
  } catch (const failure& error) {
    CHECK(error.code() == stallscope::exit_code::usage);
    return std::string(error.what()) + " | " + error.remedy();
  }
  return "no error";
}

TEST_CASE("each type of value is read from its text") {
  values read;
  REQUIRE(parse(read, {"--count", "3", "-p", "1,2", "--mode", "FAST", "--size", "4kb"}));
  CHECK(read.port == 7);
  CHECK(read.count == 3);
  CHECK(read.pids == std::vector<int>{1, 2});
  CHECK(read.mode == "fast");
  CHECK(read.size == 4096);
}

TEST_CASE("options added when a subcommand is named are parsed") {
  values read;
  REQUIRE(parse(read, {"run", "--verbose"}));
  CHECK(read.verbose);
}

TEST_CASE("a wrong command line is a usage failure that names the help of its command") {
  CHECK(message_of({"--port", "65536"}).find("--port") != std::string::npos);
  CHECK(message_of({"--port", "1", "--count", "2"}).find("--count") != std::string::npos);
  CHECK(message_of({"--absent"}).find("| see stallscope-measure --help") != std::string::npos);
  CHECK(message_of({"run", "--absent"}).find("| see stallscope-measure run --help") !=
        std::string::npos);
}

}  // namespace
