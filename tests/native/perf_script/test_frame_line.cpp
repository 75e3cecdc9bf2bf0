#include "perf_script/frame_line.hpp"

#include "doctest/doctest.h"

namespace perf_script = stallscope::perf_script;

TEST_CASE("a frame has address, symbol without offset, and file") {
  const auto frame = perf_script::parse_frame_line("\tffff81 native halt+0x1f ([kernel.kallsyms])");
  REQUIRE(frame);
  CHECK(frame->address == "ffff81");
  CHECK(frame->symbol == "native halt");
  CHECK(frame->file == "[kernel.kallsyms]");
}

TEST_CASE("the last parentheses hold the file") {
  const auto frame = perf_script::parse_frame_line(" 7f f(int) (/a b (deleted))");
  REQUIRE(frame);
  CHECK(frame->symbol == "f(int) (/a b");
  CHECK(frame->file == "deleted)");
}

TEST_CASE("other lines are no frame") {
  CHECK_FALSE(perf_script::parse_frame_line(""));
  CHECK_FALSE(perf_script::parse_frame_line(" 7f f"));
  CHECK_FALSE(perf_script::parse_frame_line(" 7f )("));
  CHECK_FALSE(perf_script::parse_frame_line("(x) (y)"));
}

TEST_CASE("only lower-case hexadecimal digits after +0x are an offset") {
  const auto frame = perf_script::parse_frame_line(" 7f f+0xZZ (/x)");
  REQUIRE(frame);
  CHECK(frame->symbol == "f+0xZZ");
}
