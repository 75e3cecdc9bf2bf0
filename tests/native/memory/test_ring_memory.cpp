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

TEST_CASE("pages_in_smaps() returns the kind of pages of a mapping") {
  CHECK(pages_in_smaps(smaps, 0x7f0000000000).kind == "transparent");
  const pages_obtained partial = pages_in_smaps(smaps, 0x7f0000400000);
  CHECK(partial.kind == "partly transparent");
  CHECK(partial.huge_bytes == 2 * mib);
  const pages_obtained reserved = pages_in_smaps(smaps, 0x7f0000a00000);
  CHECK(reserved.kind == "hugetlb");
  CHECK(reserved.page_bytes == 2 * mib);
  const pages_obtained small = pages_in_smaps(smaps, 0x7f0000e00000);
  CHECK(small.kind == "small");
  CHECK(small.page_bytes == 4096);
  CHECK(small.huge_bytes == 0);
}

TEST_CASE("pages_in_smaps() returns unknown for a missing mapping") {
  CHECK(pages_in_smaps(smaps, 0x1000).kind == "unknown");
  CHECK(pages_in_smaps("", 0x1000).kind == "unknown");
  CHECK(pages_in_smaps("Size: 4 kB\nKernelPageSize: 4 kB\n", 0).kind == "unknown");
}

TEST_CASE("a request for small pages obtains small pages") {
  const ring_memory memory({.bytes = 3 * mib});
  CHECK(memory.nodes().size_bytes() == 3 * mib);
  const pages_obtained pages = memory.obtained_pages();
  CHECK(pages.kind == "small");
  CHECK(pages.huge_bytes == 0);
}

TEST_CASE("memory with huge pages is aligned, and reports the obtained pages") {
  if (huge_page_bytes() == 0) return;
  const ring_memory memory({.bytes = 4096, .pages = page_kind::huge});
  CHECK(reinterpret_cast<std::uintptr_t>(memory.nodes().data()) % huge_page_bytes() == 0);
  CHECK(memory.nodes().size_bytes() == huge_page_bytes());
  const pages_obtained pages = memory.obtained_pages();
  CHECK((pages.kind == "small") == (pages.huge_bytes == 0));
}

TEST_CASE("adjacent rings are separate mappings") {
  const ring_memory small({.bytes = 2 * mib});
  const ring_memory huge({.bytes = 2 * mib, .pages = page_kind::huge});
  const ring_memory again({.bytes = 2 * mib});
  CHECK(small.obtained_pages().kind == "small");
  CHECK(again.obtained_pages().kind == "small");
}

TEST_CASE("a missing NUMA node is rejected") {
  const auto on_node = [](int node) { return memory_request{.bytes = mib, .node = node}; };
  CHECK_THROWS_AS(ring_memory{on_node(1023)}, std::system_error);
  CHECK_THROWS_AS(ring_memory{on_node(5000)}, std::system_error);
}

TEST_CASE("a bound ring has all pages on its NUMA node") {
  const auto by_node = ring_memory({.bytes = 8 * mib}).pages_by_node();
  if (by_node.empty()) return;
  const int node = by_node.begin()->first;
  for (const page_kind kind : {page_kind::small, page_kind::huge}) {
    const ring_memory bound({.bytes = 8 * mib, .pages = kind, .node = node});
    const auto page_counts = bound.pages_by_node();
    REQUIRE(page_counts.size() == 1);
    CHECK(page_counts.begin()->first == node);
    CHECK(page_counts.begin()->second > 0);
    CHECK(page_counts.begin()->second <= 1024);
  }
}
