#include <doctest/doctest.h>

#include "base/visible_text.hpp"

using namespace stallscope;

TEST_CASE("what would act on a terminal is not shown") {
  CHECK(visible_text("a\x1b[31mb\r\n\t\x7f") == "a?[31mb????");
  CHECK(visible_text("c\xc2\x9b"
                     "31m") == "c?31m");                        // U+009B: CSI in one character
  CHECK(visible_text("\xe2\x80\xaet\xe2\x81\xa6u") == "?t?u");  // U+202E, U+2066
}

TEST_CASE("names of any language stay") {
  for (const char* name :
       {"redis-server", "na\xc3\xafve", "\xe2\x82\xac", "\xe2\x80\xa6", "\xc2\xa0"})
    CHECK(visible_text(name) == name);
}

TEST_CASE("half a character at the end is no reason to look beyond it") {
  for (const char* name : {"\xe2", "\xe2\x80", "\xc2", "\xff"}) CHECK(visible_text(name) == name);
  CHECK(visible_text("").empty());
}
