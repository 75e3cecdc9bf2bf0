#include <doctest/doctest.h>

#include <sstream>
#include <stdexcept>

#include "stages/batch_log.hpp"

using namespace stallscope::stages;

TEST_CASE("the log keeps the last batches, oldest first") {
  batch_log log(3);
  CHECK(log.recorded().empty());
  log.record(0, 1);
  log.record(1, 2);
  CHECK(log.recorded() == std::vector<batch>{{0, 1}, {1, 2}});
  log.record(2, 3);
  CHECK(log.recorded() == std::vector<batch>{{0, 1}, {1, 2}, {2, 3}});
  log.record(3, 4);
  log.record(4, 5);
  CHECK(log.recorded() == std::vector<batch>{{2, 3}, {3, 4}, {4, 5}});
}

TEST_CASE("a batch file can be read back") {
  const batch_file written{{"parse", "reply"}, {{0, 64}, {1, 64}, {0, 1}}};
  std::stringstream file;
  write_batches(file, written);
  CHECK(file.str() == "stallscope.batches/1 parse reply\n0 64\n1 64\n0 1\n");
  const auto read = read_batches(file);
  CHECK(read.stages == written.stages);
  CHECK(read.batches == written.batches);
}

TEST_CASE("an invalid batch file is rejected with the line number") {
  const auto read = [](const std::string& text) {
    std::istringstream file(text);
    return read_batches(file, 3);
  };
  const std::string head = "stallscope.batches/1 a b\n";
  CHECK_THROWS_WITH_AS(read(""), "line 1: not a file of batches (stallscope.batches/1)",
                       std::runtime_error);
  CHECK_THROWS_AS(read("stallscope.batches/2 a\n"), std::runtime_error);
  CHECK_THROWS_AS(read("stallscope.batches/1\n"), std::runtime_error);
  for (const auto* line : {"", "0", "0 ", "0 -1", "0 1 1", "0 1x", "0  1", "x 1", "2 1", "1 0",
                           "0 99999999999", "-1 4", "\xff 1"}) {
    CAPTURE(line);
    CHECK_THROWS_WITH_AS(read(head + "1 1\n" + line + "\n"), doctest::Contains("line 3: "),
                         std::runtime_error);
  }
  CHECK(read(head + "1 1\n1 1\n1 1\n").batches.size() == 3);
  CHECK_THROWS_WITH_AS(read(head + "1 1\n1 1\n1 1\n1 1\n"), "line 5: more than 3 batches",
                       std::runtime_error);
}
