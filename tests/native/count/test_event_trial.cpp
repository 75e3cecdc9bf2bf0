#include <doctest/doctest.h>
#include <linux/perf_event.h>

#include <algorithm>

#include "base/failure.hpp"
#include "count/event_trial.hpp"

using namespace stallscope;
using namespace stallscope::count;

namespace {

planned_event software_event(const char* name) {
  planned_event event;
  event.name = event.known_as = name;
  return event;
}

planned_event encoded(const char* name, std::uint32_t type, std::uint64_t config) {
  planned_event event;
  event.name = name;
  event.encoded = true;
  event.type = type;
  event.config = config;
  return event;
}

trial_place here() {
  trial_place where;
  where.place = {0, -1};
  return where;
}

}  // namespace

TEST_CASE("available events are counted, and unavailable events have a reason") {
  const count_plan plan{
      {software_event("page-faults"), encoded("NO_SUCH", PERF_TYPE_SOFTWARE, 9999),
       software_event("no_such_name::anywhere"), software_event("task-clock")},
      {{"all", {0, 1, 2, 3}, {}}, {"none", {1}, {}}}};
  const auto choice = choose_groups(plan, here());
  REQUIRE(choice.groups.size() == 1);
  CHECK(choice.groups[0].events == std::vector<std::size_t>{0, 3});
  CHECK(choice.groups_of_set[0] == std::vector<std::size_t>{0});
  CHECK(choice.groups_of_set[1].empty());
  REQUIRE(choice.unavailable.size() == 2);
  const auto refused = std::find_if(choice.unavailable.begin(), choice.unavailable.end(),
                                    [](const auto& refusal) { return refusal.event == "NO_SUCH"; });
  REQUIRE(refused != choice.unavailable.end());
  CHECK(refused->error != 0);
}

TEST_CASE("a plan without any available event is an error") {
  const count_plan plan{{encoded("NO_SUCH", PERF_TYPE_SOFTWARE, 9999)}, {{"all", {0}, {}}}};
  try {
    choose_groups(plan, here());
    FAIL("it was taken");
  } catch (const failure& problem) {
    CHECK(problem.code() == exit_code::unable);
    CHECK(std::string{problem.what()}.find("NO_SUCH") != std::string::npos);
    CHECK_FALSE(problem.remedy().empty());
  }
}

TEST_CASE("scheduler events are unavailable with --user instead of zero") {
  const count_plan plan{{software_event("context-switches"), software_event("page-faults")},
                        {{"all", {0, 1}, {}}}};
  auto where = here();
  where.user_only = true;
  const auto choice = choose_groups(plan, where);
  REQUIRE(choice.unavailable.size() == 1);
  CHECK(choice.unavailable[0].event == "context-switches");
  CHECK(choice.groups[0].events == std::vector<std::size_t>{1});
}

TEST_CASE("unknown names are usage errors") {
  const count_plan plan{{software_event("no_such_name::anywhere")}, {{"all", {0}, {}}}};
  try {
    choose_groups(plan, here());
    FAIL("it was taken");
  } catch (const failure& problem) {
    CHECK(problem.code() == exit_code::usage);
  }
}
