#include <doctest/doctest.h>
#include <stdlib.h>

#include <fstream>

#include "perf_events/cpu_list.hpp"

using stallscope::perf_events::format_cpu_list;
using stallscope::perf_events::parse_cpu_list;

TEST_CASE("CPU lists are parsed in the kernel's format") {
  CHECK(parse_cpu_list("0") == std::vector<int>{0});
  CHECK(parse_cpu_list("0-3,8") == std::vector<int>{0, 1, 2, 3, 8});
  CHECK(parse_cpu_list("8,1-2,2") == std::vector<int>{1, 2, 8});
}

TEST_CASE("an invalid CPU list is refused") {
  for (const char* text :
       {"", ",", "a", "1-", "-1", "3-1", "1,,2", "1 ", "0x1", "99999999999", "70000"}) {
    CAPTURE(text);
    CHECK_THROWS_AS(parse_cpu_list(text), std::invalid_argument);
  }
}

TEST_CASE("a list that repeats CPUs without end is an error") {
  std::string text = "0-65535";
  for (int i = 0; i < 1000; ++i) text += ",0-65535";
  CHECK_THROWS_AS(parse_cpu_list(text), std::invalid_argument);
}

TEST_CASE("formatting and parsing a list gives the same CPUs") {
  const std::vector<int> cpus{0, 1, 2, 5, 7, 8};
  CHECK(format_cpu_list(cpus) == "0-2,5,7-8");
  CHECK(parse_cpu_list(format_cpu_list(cpus)) == cpus);
  CHECK(format_cpu_list({}).empty());
}

TEST_CASE("the online CPUs come from the sysfs tree of the argument") {
  std::string root = "/tmp/stallscope-sys-XXXXXX";
  REQUIRE(mkdtemp(root.data()) != nullptr);
  const std::filesystem::path folder = std::filesystem::path{root} / "devices/system/cpu";
  std::filesystem::create_directories(folder);
  std::ofstream{folder / "online"} << "0-1,4\n";
  CHECK(stallscope::perf_events::online_cpus(root) == std::vector<int>{0, 1, 4});
  std::filesystem::remove_all(root);
  CHECK_THROWS_AS(stallscope::perf_events::online_cpus(root), std::system_error);
}
