#include <doctest/doctest.h>

#include <array>

#include "collect/event_aliases.hpp"

using stallscope::collect::event_aliases;

TEST_CASE("an event that was opened again has the identifier of the header") {
  event_aliases aliases;
  aliases.add(std::array{event_aliases::alias{20, 3}, event_aliases::alias{21, 4}});
  CHECK(aliases.find(20) == 3U);
  CHECK(aliases.find(21) == 4U);
  CHECK_FALSE(aliases.find(3));
}

TEST_CASE("the identifiers of the last 1,024 openings are kept") {
  event_aliases aliases;
  for (std::uint64_t i = 0; i < 1'060; ++i)
    aliases.add(std::array{event_aliases::alias{100 + i, 3}});
  CHECK_FALSE(aliases.find(100 + 35));
  CHECK(aliases.find(100 + 36) == 3U);
  CHECK(aliases.find(100 + 1'059) == 3U);
}
