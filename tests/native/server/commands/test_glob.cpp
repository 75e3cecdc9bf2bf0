#include <doctest/doctest.h>

#include <string>

#include "server/commands/glob.hpp"

using stallscope::server::glob_match;

TEST_CASE("patterns and the names they match") {
  CHECK(glob_match("save", "SAVE"));
  CHECK(glob_match("*", ""));
  CHECK(glob_match("s*", "save"));
  CHECK(glob_match("*v*", "save"));
  CHECK(glob_match("s?v[ed]", "save"));
  CHECK(glob_match("s[^x]ve", "save"));
  CHECK(glob_match("s[a-c]ve", "save"));
  CHECK(glob_match("s\\*", "s*"));
  CHECK(glob_match("*a*b*", "xxaxxbxx"));
  CHECK(glob_match("[", "[") == false);
  CHECK_FALSE(glob_match("", "save"));
  CHECK_FALSE(glob_match("sav", "save"));
  CHECK_FALSE(glob_match("save?", "save"));
  CHECK_FALSE(glob_match("s[b-z]ve", "save"));
  CHECK_FALSE(glob_match("s\\*", "sx"));
}

TEST_CASE("a pattern with many stars takes little time") {
  std::string stars;
  for (int count = 0; count < 2000; ++count) stars += "*a";
  CHECK_FALSE(glob_match(stars + "b", std::string(4000, 'a')));
}
