#include "memory/ring_memory.hpp"

#include <doctest/doctest.h>

#include <cerrno>
#include <system_error>

using namespace stallscope::memory;

namespace {

constexpr std::size_t mib = std::size_t{1} << 20U;

const char* const smaps =
    "7f0000000000-7f0000200000 rw-p 00000000 00:00 0 \n"
    "Size:               2048 kB\nKernelPageSize:        4 kB\nAnonHugePages:      2048 kB\n"
    "Private_Hugetlb:       0 kB\n"
    "7f0000400000-7f0000800000 rw-p 00000000 00:00 0 \n"
    "Size:               4096 kB\nKernelPageSize:        4 kB\nAnonHugePages:      2048 kB\n"
    "7f0000a00000-7f0000c00000 rw-p 00000000 00:0f 77 /anon_hugepage (deleted)\n"
    "Size:               2048 kB\nKernelPageSize:     2048 kB\nAnonHugePages:         0 kB\n"
    "Private_Hugetlb:    2048 kB\n"
    "7f0000e00000-7f0001000000 rw-p 00000000 00:00 0 \n"
    "Size:               2048 kB\nKernelPageSize:        4 kB\nAnonHugePages:         0 kB\n";

}  // namespace

TEST_CASE("smaps tells which pages a mapping has") {
  CHECK(pages_in_smaps(smaps, 0x7f0000000000).kind == "transparent");
  const pages_obtained partly = pages_in_smaps(smaps, 0x7f0000400000);
  CHECK(partly.kind == "partly transparent");
  CHECK(partly.huge_bytes == 2 * mib);
  const pages_obtained reserved = pages_in_smaps(smaps, 0x7f0000a00000);
  CHECK(reserved.kind == "hugetlb");
  CHECK(reserved.page_bytes == 2 * mib);
  const pages_obtained small = pages_in_smaps(smaps, 0x7f0000e00000);
  CHECK(small.kind == "small");
  CHECK(small.page_bytes == 4096);
  CHECK(small.huge_bytes == 0);
}

TEST_CASE("a mapping that smaps does not have is unknown") {
  CHECK(pages_in_smaps(smaps, 0x1000).kind == "unknown");
  CHECK(pages_in_smaps("", 0x1000).kind == "unknown");
  CHECK(pages_in_smaps("Size: 4 kB\nKernelPageSize: 4 kB\n", 0).kind == "unknown");
}

TEST_CASE("small pages are got where they are asked for") {
  const ring_memory memory({.bytes = 3 * mib});
  CHECK(memory.nodes().size_bytes() == 3 * mib);
  const pages_obtained got = memory.pages_got();
  CHECK(got.kind == "small");
  CHECK(got.huge_bytes == 0);
}

TEST_CASE("huge pages are told as they were got, and begin where one does") {
  if (huge_page_bytes() == 0) return;
  const ring_memory memory({.bytes = 4096, .pages = page_kind::huge});
  CHECK(reinterpret_cast<std::uintptr_t>(memory.nodes().data()) % huge_page_bytes() == 0);
  CHECK(memory.nodes().size_bytes() == huge_page_bytes());
  const pages_obtained got = memory.pages_got();
  CHECK((got.kind == "small") == (got.huge_bytes == 0));
}

TEST_CASE("two rings are told apart, however near they lie") {
  const ring_memory small({.bytes = 2 * mib});
  const ring_memory huge({.bytes = 2 * mib, .pages = page_kind::huge});
  const ring_memory again({.bytes = 2 * mib});
  CHECK(small.pages_got().kind == "small");
  CHECK(again.pages_got().kind == "small");
}

TEST_CASE("a node that is not there is refused") {
  const auto on_node = [](int node) { return memory_request{.bytes = mib, .node = node}; };
  CHECK_THROWS_AS(ring_memory{on_node(1023)}, std::system_error);
  CHECK_THROWS_AS(ring_memory{on_node(5000)}, std::system_error);
}

TEST_CASE("a ring lies on the node that was wanted, where the kernel has nodes") {
  const auto by_node = ring_memory({.bytes = 8 * mib}).pages_by_node();
  if (by_node.empty()) return;
  const int node = by_node.begin()->first;
  for (const page_kind pages : {page_kind::small, page_kind::huge}) {
    const ring_memory bound({.bytes = 8 * mib, .pages = pages, .node = node});
    const auto found = bound.pages_by_node();
    REQUIRE(found.size() == 1);
    CHECK(found.begin()->first == node);
    CHECK(found.begin()->second > 0);
    CHECK(found.begin()->second <= 1024);
  }
}
