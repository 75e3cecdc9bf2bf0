#include "kernels/memory.hpp"

#include <doctest/doctest.h>

#include "kernels/work.hpp"

using namespace stallscope::kernels;

namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

cache_sizes caches(std::uint64_t l1d, std::uint64_t l2, std::uint64_t l3) {
  cache_sizes sizes;
  sizes.l1d = {.bytes = l1d, .known = true};
  sizes.l2 = {.bytes = l2, .known = true};
  sizes.l3 = {.bytes = l3, .known = true};
  return sizes;
}

}  // namespace

TEST_CASE("a working set fits in its level and exceeds the previous level") {
  // Haswell-EP, Ice Lake server, Zen 4, Neoverse N1 and V2
  for (const cache_sizes& sizes :
       {caches(32 * kib, 256 * kib, 25 * mib), caches(48 * kib, 1280 * kib, 36 * mib),
        caches(32 * kib, 1 * mib, 32 * mib), caches(64 * kib, 1 * mib, 32 * mib),
        caches(64 * kib, 2 * mib, 114 * mib)}) {
    const working_sets sets = working_sets_of(sizes, 16384 * mib);
    CHECK(sets.l1 < sizes.l1d.bytes);
    CHECK(sets.l2 >= 2 * sizes.l1d.bytes);
    CHECK(sets.l2 <= sizes.l2.bytes / 2);
    CHECK(sets.l3 >= 2 * sizes.l2.bytes);
    CHECK(sets.l3 <= sizes.l3.bytes / 2);
    CHECK(sets.dram >= 4 * sizes.l3.bytes);
  }
}

TEST_CASE("the memory working set is limited to the limit and to 2 GiB") {
  CHECK(working_sets_of(caches(32 * kib, 1 * mib, 1024 * mib), 16384 * mib).dram == 2048 * mib);
  CHECK(working_sets_of(caches(32 * kib, 1 * mib, 32 * mib), 16 * mib).dram == 16 * mib);
  CHECK(working_sets_of(caches(32 * kib, 1 * mib, 32 * mib), 0).dram == 2 * sizeof(chain_node));
}
