// Four functions with one known bottleneck per function, to check profilers. They call no other
// function (mostly_sleeping ends with one system call), cause no page faults and keep frame
// pointers. Therefore the leaf of a sample is the function, and the call chain reaches the thread's
// entry. The cost is proportional to `iterations`. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stallscope::kernels {

// A cache line of a ring of pointers.
struct alignas(64) chain_node {
  const chain_node* next = nullptr;
  const chain_node* ahead = nullptr;  // several steps ahead, for prefetching
};

enum class mix_function : std::uint8_t {
  hot_arithmetic,
  chase_pointers,
  mispredict_branches,
  mostly_sleeping
};
inline constexpr std::size_t function_count = 4;
inline constexpr std::array<const char*, function_count> function_names = {
    "hot_arithmetic", "chase_pointers", "mispredict_branches", "mostly_sleeping"};

// Links the nodes into one ring in random order, which prefetchers cannot predict: a single cycle
// (Sattolo 1986) through the nodes 0, `stride`, 2 * `stride`, ... Other nodes are not changed.
void link_randomly(std::span<chain_node> nodes, std::uint64_t seed, std::size_t stride = 1);

extern "C" {
// A dependent chain of multiplications, bound by the latency of the core. Returns the last value.
std::uint64_t hot_arithmetic(std::uint64_t iterations, std::uint64_t seed);
// Follows the ring; bound by memory if the ring exceeds the caches. Returns the last node.
const stallscope::kernels::chain_node* chase_pointers(std::uint64_t iterations,
                                                      const stallscope::kernels::chain_node* start);
// Branches on random bits, bound by mispredictions. Returns the last value.
std::uint64_t mispredict_branches(std::uint64_t iterations, std::uint64_t seed);
// Does some arithmetic, then sleeps for `sleep_ns`. Returns the last value.
std::uint64_t mostly_sleeping(std::uint64_t iterations, std::uint64_t sleep_ns);
}

}  // namespace stallscope::kernels
