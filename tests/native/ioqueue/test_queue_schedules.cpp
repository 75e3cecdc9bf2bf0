#include <doctest/doctest.h>

#include "long_tests.hpp"
#include "random_schedule.hpp"

namespace {

struct together {
  std::uint64_t pairs = 0;
  std::uint64_t settled = 0;
  double closest = 0;
};

together run_many(const schedule_kind& kind, int schedules) {
  together all;
  for (int seed = 1; seed <= schedules; ++seed) {
    CAPTURE(seed);
    random_schedule schedule(static_cast<std::uint64_t>(seed), kind);
    REQUIRE(schedule.run(100) == "");
    all.pairs += schedule.pairs_judged();
    all.settled += schedule.settled();
    all.closest = std::max(all.closest, schedule.closest_to_bound());
  }
  return all;
}

}  // namespace

TEST_CASE("in random schedules every pair of busy classes stays within the bound at every step") {
  const together all = run_many({}, long_tests(400, 12000));
  // The schedules come near the bound, or they would show nothing.
  CHECK(all.closest > 0.8);
  CHECK(all.pairs > 30'000);
  CHECK(all.settled > 15'000);
}

TEST_CASE("a wake-up credit widens the bound by exactly the credit") {
  CHECK(run_many({.with_credit = true}, long_tests(133, 4000)).closest > 0.5);
}

TEST_CASE("tokens and deadlines do not change the bound") {
  run_many({.with_tokens = true, .with_deadlines = true}, long_tests(83, 2500));
  run_many({.with_credit = true, .with_deadlines = true}, long_tests(83, 2500));
}
