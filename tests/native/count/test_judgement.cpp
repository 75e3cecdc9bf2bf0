#include <doctest/doctest.h>

#include "count/judgement.hpp"

using namespace stallscope;
using namespace stallscope::count;

namespace {

constexpr std::uint64_t second_ns = 1'000'000'000;

count_plan plan_of(const std::vector<std::string>& names) {
  count_plan plan;
  for (const auto& name : names) {
    plan.events.emplace_back();
    plan.events.back().name = name;
  }
  return plan;
}

}  // namespace

TEST_CASE("groups that never ran in a short run are not blamed on other programs") {
  const auto plan = plan_of({"A", "B"});
  counting_choice choice;
  choice.groups = {{{0}}, {{1}}};
  choice.facts.users = {"perf (7)"};
  const std::vector<perf_events::group_reading> brief{{3'000'000, 3'000'000, {5}},
                                                      {3'000'000, 0, {0}}};
  const auto judged = judge_counting(plan, choice, brief);
  CHECK(judged.never_ran == std::vector<std::size_t>{1});
  REQUIRE(judged.warnings.size() == 1);
  CHECK(judged.warnings[0].message.find("too short a time") != std::string::npos);
  CHECK(judged.warnings[0].message.find("perf (7)") == std::string::npos);

  const std::vector<perf_events::group_reading> starved{{second_ns, second_ns, {5}},
                                                        {second_ns, 0, {0}}};
  const auto held = judge_counting(plan, choice, starved);
  REQUIRE(held.warnings.size() == 1);
  CHECK(held.warnings[0].message.find("perf (7)") != std::string::npos);
}

TEST_CASE("a target that never ran gives no judgement of its groups") {
  const auto plan = plan_of({"A"});
  counting_choice choice;
  choice.groups = {{{0}}};
  choice.unknown_presence = {"A"};
  const auto judged =
      judge_counting(plan, choice, std::vector<perf_events::group_reading>{{0, 0, {0}}});
  CHECK(judged.never_ran.empty());
  CHECK(judged.unverified_zero.empty());
  CHECK(judged.warnings.empty());
}

TEST_CASE("an event is an unverified zero only if no group counted it") {
  const auto plan = plan_of({"TOLD", "NEVER", "ONCE", "STARVED"});
  counting_choice choice;
  choice.groups = {{{0, 1, 2}}, {{1, 2}}, {{3}}};
  choice.unknown_presence = {"NEVER", "ONCE", "STARVED"};
  const std::vector<perf_events::group_reading> totals{
      {second_ns, second_ns, {0, 0, 0}}, {second_ns, second_ns, {0, 9}}, {second_ns, 0, {0}}};
  CHECK(judge_counting(plan, choice, totals).unverified_zero == std::vector<std::string>{"NEVER"});
}
