#include <doctest/doctest.h>

#include <algorithm>
#include <random>
#include <set>

#include "count/packing.hpp"

using namespace stallscope;
using namespace stallscope::count;

namespace {

using numbers = std::vector<std::size_t>;

// A PMU with N counters.
group_judge counters(std::size_t how_many) {
  return [how_many](std::span<const std::size_t> events) { return events.size() <= how_many; };
}

bool has_all(const packing& packed, std::size_t set, const numbers& events) {
  std::set<std::size_t> packed_events;
  for (const auto group : packed.groups_of_set[set])
    packed_events.insert(packed.groups[group].events.begin(), packed.groups[group].events.end());
  return std::all_of(events.begin(), events.end(),
                     [&](auto event) { return packed_events.contains(event); });
}

}  // namespace

TEST_CASE("sets that fit together share one group without duplicate events") {
  const std::vector<packable_set> sets{
      {{0, 1}, {}, false}, {{1, 2, 3}, {}, false}, {{0}, {}, false}};
  const auto packed = pack(sets, counters(4));
  REQUIRE(packed.groups.size() == 1);
  CHECK(packed.groups[0].events.size() == 4);
  CHECK(packed.groups_of_set == std::vector<numbers>{{0}, {0}, {0}});
}

TEST_CASE("the events of a set stay together, in another group if necessary") {
  const std::vector<packable_set> sets{
      {{0, 1, 2}, {}, false}, {{0, 3, 4}, {}, false}, {{0, 1, 3}, {}, false}};
  const auto packed = pack(sets, counters(4));
  for (std::size_t i = 0; i < sets.size(); ++i) {
    CHECK(packed.groups_of_set[i].size() == 1);
    CHECK(has_all(packed, i, sets[i].events));
  }
  CHECK(packed.unplaced.empty());
}

TEST_CASE("a set that fits in no group is split without loss") {
  const std::vector<packable_set> sets{{{0, 1, 2, 3, 4, 5, 6}, {}, false}};
  const auto packed = pack(sets, counters(3));
  CHECK(packed.groups.size() == 3);
  CHECK(packed.groups_of_set[0].size() == 3);
  CHECK(has_all(packed, 0, sets[0].events));
}

TEST_CASE("the leader leads every group of its set and every piece of a split set") {
  const group_judge topdown = [](std::span<const std::size_t> events) {
    // 9 is slots; 10 and above are its metrics, which cannot be counted without it in front.
    const bool metrics = std::any_of(events.begin(), events.end(), [](auto e) { return e >= 10; });
    const auto programmable =
        std::count_if(events.begin(), events.end(), [](auto e) { return e < 9; });
    return (!metrics || events[0] == 9) && programmable <= 4;
  };
  const std::vector<packable_set> sets{
      {{0, 1}, {}, false}, {{9, 10, 11}, 9, false}, {{9, 12, 2, 3, 4, 5, 6}, 9, false}};
  const auto packed = pack(sets, topdown);
  CHECK(packed.groups_of_set[1].size() == 1);
  CHECK(packed.groups_of_set[2].size() == 2);
  for (const std::size_t set : {1U, 2U}) {
    CHECK(has_all(packed, set, sets[set].events));
    for (const auto group : packed.groups_of_set[set]) CHECK(packed.groups[group].events[0] == 9);
  }
  CHECK(packed.unplaced.empty());
}

TEST_CASE("software events are never in a group with hardware events") {
  const std::vector<packable_set> sets{{{0, 1}, {}, false}, {{5, 6}, {}, true}, {{7}, {}, true}};
  const auto packed = pack(sets, counters(8));
  REQUIRE(packed.groups.size() == 2);
  CHECK(packed.groups_of_set[1] == packed.groups_of_set[2]);
  CHECK(packed.groups_of_set[0] != packed.groups_of_set[1]);
}

TEST_CASE("an event that fits in no group is unplaced, and its set continues without it") {
  const group_judge never_two = [](std::span<const std::size_t> events) {
    return std::find(events.begin(), events.end(), 2U) == events.end();
  };
  const auto packed = pack(std::vector<packable_set>{{{1, 2, 3}, {}, false}}, never_two);
  CHECK(packed.unplaced == numbers{2});
  CHECK(has_all(packed, 0, {1, 3}));
}

TEST_CASE("the limit of the group size holds whatever the judge accepts") {
  const auto packed = pack(std::vector<packable_set>{{{0, 1, 2, 3}, {}, false}}, counters(100), 2);
  for (const auto& group : packed.groups) CHECK(group.events.size() <= 2);
  CHECK(has_all(packed, 0, {0, 1, 2, 3}));
}

TEST_CASE("a set without events needs no group") {
  const auto packed = pack(std::vector<packable_set>{{{}, {}, true}}, counters(1));
  CHECK(packed.groups.empty());
  CHECK(packed.groups_of_set[0].empty());
}

TEST_CASE(
    "for any sets and PMU all events are placed, no group is refused and few trials are needed") {
  std::mt19937 random{1};
  for (int round = 0; round < 200; ++round) {
    const std::size_t size = 1 + random() % 8;
    std::vector<packable_set> sets(1 + random() % 30);
    for (auto& set : sets) {
      std::set<std::size_t> events;
      for (std::size_t i = 1 + random() % 10; i > 0; --i) events.insert(random() % 40);
      set.events.assign(events.begin(), events.end());
    }
    std::size_t trials = 0;
    const auto packed = pack(sets, [&](std::span<const std::size_t> events) {
      ++trials;
      return events.size() <= size;
    });
    for (const auto& group : packed.groups) {
      CHECK(group.events.size() <= size);
      CHECK(std::set<std::size_t>(group.events.begin(), group.events.end()).size() ==
            group.events.size());
    }
    for (std::size_t i = 0; i < sets.size(); ++i) {
      CHECK(has_all(packed, i, sets[i].events));
      CHECK((sets[i].events.size() > size || packed.groups_of_set[i].size() == 1));
    }
    CHECK(trials <= 30 * sets.size());
  }
}
