#include <doctest/doctest.h>

#include <map>
#include <random>
#include <string>

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
