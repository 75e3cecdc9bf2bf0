#include <doctest/doctest.h>

#include <vector>

#include "count/phase_checks.hpp"

namespace stallscope::count {
namespace {

TEST_CASE("a phase that was counted in time has no warning") {
  const std::vector<counted_phase> phases{{1'000, 1'004, 2'000, 2'005, 0}};
  CHECK(check_phases(phases, 0).empty());
}

TEST_CASE("a phase that was counted late is reported") {
  const std::vector<counted_phase> phases{{1'000, 1'004, 2'000, 2'005, 0},
                                          {3'000, 3'020, 4'000, 4'001, 1}};
  const auto warnings = check_phases(phases, 0);
  REQUIRE(warnings.size() == 1);
  CHECK(warnings.front().code == std::string{"phase-late"});
  CHECK(warnings.front().message.find("1 of 2") != std::string::npos);
}

TEST_CASE("a counting without a phase, and lines that are no marks, are reported") {
  const auto warnings = check_phases({}, 3);
  REQUIRE(warnings.size() == 2);
  CHECK(warnings[0].code == std::string{"no-phase"});
  CHECK(warnings[1].code == std::string{"bad-mark"});
}

}  // namespace
}  // namespace stallscope::count
