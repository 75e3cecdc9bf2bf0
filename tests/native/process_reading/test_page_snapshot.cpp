#include <doctest/doctest.h>
#include <unistd.h>

#include <cstdint>
#include <vector>

#include "process_reading/page_snapshot.hpp"
#include "process_reading/utf8.hpp"

namespace stallscope::process_reading {

TEST_CASE("missing pages are read by the next call, and equal in both copies") {
  std::vector<std::uint64_t> words(2048, 7);
  const auto anchor = reinterpret_cast<std::uint64_t>(words.data());
  page_snapshot pages{process_memory{::getpid()}};
  pages.begin();
  REQUIRE(pages.take(anchor));
  CHECK(pages.anchor() == 7);
  CHECK_FALSE(pages.word(anchor + 8 * 1024));
  CHECK(pages.missing());
  REQUIRE(pages.take(anchor));
  CHECK(pages.word(anchor + 8 * 1024) == 7);
  CHECK(pages.same(anchor + 8 * 1024, 8));
  CHECK_FALSE(pages.missing());
}

TEST_CASE("a page that cannot be read is forgotten, and the anchor still read") {
  const std::uint64_t word = 9;
  page_snapshot pages{process_memory{::getpid()}};
  pages.begin();
  CHECK_FALSE(pages.word(0x1000));
  REQUIRE(pages.take(reinterpret_cast<std::uint64_t>(&word)));
  CHECK(pages.anchor() == 9);
  CHECK_FALSE(pages.take(0x10));
}

TEST_CASE("bytes that are not UTF-8 become replacement characters") {
  CHECK(text_of_utf8("gr\xc3\xb6sse") == U"gr\u00f6sse");
  CHECK(text_of_utf8("\xf0\x9f\x98\x80") == U"\U0001f600");
  CHECK(text_of_utf8("a\xff\xc3") == U"a\ufffd\ufffd");
  CHECK(text_of_utf8("\xed\xa0\x80\xc0\x80") == U"\ufffd\ufffd\ufffd\ufffd\ufffd");
}

}  // namespace stallscope::process_reading
