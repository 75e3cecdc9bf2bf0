#include <doctest/doctest.h>
#include <sys/auxv.h>
#include <unistd.h>

#include <cstdlib>
#include <limits>

#include "collect/process_code.hpp"

using namespace stallscope;
using namespace stallscope::collect;

namespace {

constexpr time_limit any_time{std::numeric_limits<std::uint64_t>::max(),
                              std::numeric_limits<std::uint64_t>::max()};

std::uint64_t own_code() { return reinterpret_cast<std::uint64_t>(&own_code); }
std::uint64_t libc_code() { return reinterpret_cast<std::uint64_t>(&::getauxval); }

}  // namespace

TEST_CASE("the code of a running process has its tables, including the vdso's") {
  table_store tables{any_time};
  const procfs proc;
  process_code code{proc, ::getpid(), tables};
  for (const auto address : {own_code(), libc_code()}) {
    const auto* code_part = code.find(address);
    REQUIRE(code_part != nullptr);
    CHECK(code_part->start <= address);
    CHECK(address < code_part->end);
    REQUIRE(code_part->table != nullptr);
    CHECK(code_part->table->rows() > 0);
  }
  const auto* vdso = code.find(::getauxval(AT_SYSINFO_EHDR) + 1);
  REQUIRE(vdso != nullptr);
  CHECK(vdso->table != nullptr);
  CHECK_FALSE(code.take_unread());
  CHECK(code.find(16) == nullptr);
  CHECK(code.find(~std::uint64_t{0} - 4096) == nullptr);
}

TEST_CASE("a binary that was not read in time is reported once and has no share") {
  table_store tables{time_limit{}};
  const procfs proc;
  process_code code{proc, ::getpid(), tables};
  REQUIRE(code.find(own_code()) != nullptr);
  CHECK(code.find(own_code())->table == nullptr);
  CHECK(code.take_unread());
  CHECK_FALSE(code.take_unread());
  CHECK_FALSE(code.frame_pointer_share());
}

TEST_CASE("a process that has ended has no code") {
  table_store tables{any_time};
  const procfs proc{"/nonexistent"};
  process_code code{proc, 1, tables};
  CHECK(code.find(own_code()) == nullptr);
  CHECK_FALSE(code.frame_pointer_share());
}

TEST_CASE("the executable and the libraries have half of the weight each") {
  CHECK_FALSE(frame_pointer_share({}));
  CHECK(*frame_pointer_share({{0.9, 10, true}}) == doctest::Approx(0.9));
  CHECK(*frame_pointer_share({{0.4, 10, false}}) == doctest::Approx(0.4));
  CHECK(*frame_pointer_share({{1.0, 10, true}, {0.0, 1000, false}}) == doctest::Approx(0.5));
  CHECK(*frame_pointer_share({{1.0, 10, true}, {0.0, 300, false}, {1.0, 100, false}}) ==
        doctest::Approx(0.625));
}
