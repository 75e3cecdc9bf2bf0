#include "perf_script/file_address.hpp"

#include <string>

#include "doctest/doctest.h"

namespace perf_script = stallscope::perf_script;

namespace {

std::optional<std::uint64_t> address_of_line(const char* line) {
  return perf_script::address_in_file(*perf_script::parse_frame_line(line));
}

}  // namespace

TEST_CASE("an address in a file is looked up, with or without an offset to a symbol") {
  CHECK(address_of_line("\t7f1a f+0x3 (/usr/lib/x.so)") == 0x7f1a);
  CHECK(address_of_line("\t7f1a [unknown] (/usr/lib/x.so)") == 0x7f1a);
  CHECK(perf_script::parse_frame_line("\t7f1a f+0x3c (/x)")->offset == "3c");
  CHECK(perf_script::parse_frame_line("\t7f1a f (/x)")->offset.empty());
  CHECK(perf_script::hexadecimal("3c") == 0x3c);
}

TEST_CASE("addresses of the kernel, of maps of JIT compilers, and of no file are not looked up") {
  for (const char* file : {"[kernel.kallsyms]", "/boot/kernel.img", "/tmp/perf-12.map", "[vdso]",
                           "/x/[unknown]/y", "inlined", "//anon[1]", "relative"}) {
    CAPTURE(file);
    CHECK_FALSE(address_of_line((std::string("\t1 f (") + file + ")").c_str()));
  }
  CHECK(address_of_line("\t1 f (/tmp/perf-x.map)") == 1);
}

TEST_CASE("a text that is not a 64-bit number is not an address") {
  CHECK_FALSE(address_of_line("\t1x f (/x)"));
  CHECK_FALSE(address_of_line("\t12345678901234567 f (/x)"));
  CHECK_FALSE(perf_script::hexadecimal(""));
}
