#include <doctest/doctest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <string>

#include "storm/iowait.hpp"

namespace {

using stallscope::storm::cpu_ticks;
using stallscope::storm::iowait_share;
using stallscope::storm::read_cpu_ticks;

std::optional<cpu_ticks> ticks_in(const std::string& text) {
  const char* const directory = std::getenv("TMPDIR");
  std::string name =
      std::string{directory != nullptr ? directory : "/tmp"} + "/stallscope-stat-XXXXXX";
  const int fd = ::mkstemp(name.data());
  REQUIRE(fd >= 0);
  std::ofstream{name} << text;
  const auto read = read_cpu_ticks(name);
  std::filesystem::remove(name);
  return read;
}

}  // namespace

TEST_CASE("iowait and total ticks are read without counting guest ticks twice") {
  const auto read = ticks_in("cpu  10 20 30 40 50 60 70 80 900 900\ncpu0 1 2 3 4 5 6 7 8 9 9\n");
  REQUIRE(read);
  CHECK(read->iowait == 50);
  CHECK(read->all == 360);
}

TEST_CASE("an unexpected format yields no reading") {
  CHECK_FALSE(ticks_in(""));
  CHECK_FALSE(ticks_in("cpus 1 2 3 4 5 6 7 8\n"));
  CHECK_FALSE(ticks_in("cpu 1 2 3\n"));
  CHECK_FALSE(read_cpu_ticks("/nowhere/stat"));
}

TEST_CASE("iowait_share() is empty if a count decreased or did not advance") {
  CHECK(iowait_share(cpu_ticks{10, 100}, cpu_ticks{30, 200}) == 0.2);
  CHECK_FALSE(iowait_share(cpu_ticks{10, 100}, cpu_ticks{9, 200}));
  CHECK_FALSE(iowait_share(cpu_ticks{10, 100}, cpu_ticks{10, 100}));
  CHECK_FALSE(iowait_share(std::nullopt, cpu_ticks{10, 100}));
}
