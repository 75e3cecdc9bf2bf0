#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "value_log/key_index.hpp"

using namespace stallscope::value_log;

TEST_CASE("the index matches a map") {
  key_index index;
  std::map<std::string, location> model;
  std::mt19937_64 random(1);
  for (std::uint64_t step = 0; step < 20'000; ++step) {
    const std::string key = "k" + std::to_string(random() % 500);
    if (random() % 3 == 0) {
      index.erase(key);
      model.erase(key);
    } else {
      const bool deleted = random() % 4 == 0;
      const location where{.sequence = step,
                           .offset = static_cast<std::uint32_t>(step),
                           .value_bytes = deleted ? location::no_value : 5};
      index.set(key, where);
      model[key] = where;
    }
  }
  std::size_t alive = 0;
  for (const auto& [key, where] : model) {
    const auto place = index.find(key);
    REQUIRE(place);
    CHECK(place->sequence == where.sequence);
    CHECK(place->deleted() == where.deleted());
    alive += where.deleted() ? 0U : 1U;
  }
  CHECK(index.size() == alive);
  CHECK_FALSE(index.find("no such key"));
  index.erase_if([](std::string_view, const location& held) { return held.deleted(); });
  CHECK(index.size() == alive);
  index.clear();
  CHECK(index.size() == 0);
  CHECK(index.memory_bytes() == 0);
}

TEST_CASE("room is reserved for a key, whatever happens to the table meanwhile") {
  key_index index;
  std::vector<key_index::room> rooms;
  for (int i = 0; i < 200; ++i) rooms.push_back(index.make_room("new" + std::to_string(i)));
  for (int i = 0; i < 1000; ++i) index.set("old" + std::to_string(i), {.value_bytes = 5});
  for (int i = 0; i < 1000; ++i) index.erase("old" + std::to_string(i));
  const std::size_t before = index.memory_bytes();
  for (int i = 0; i < 200; ++i) {
    index.set("new" + std::to_string(i), {.value_bytes = 7},
              std::move(rooms[static_cast<std::size_t>(i)]));
  }
  CHECK(index.size() == 200);
  CHECK(index.find("new199")->value_bytes == 7);
  CHECK(index.memory_bytes() > before);
  {
    const auto unused = index.make_room("new0");
    index.set("new0", {.value_bytes = 8}, index.make_room("new0"));
  }
  CHECK(index.size() == 200);
  CHECK(index.find("new0")->value_bytes == 8);
}
