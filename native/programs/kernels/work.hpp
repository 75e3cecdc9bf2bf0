// Four functions with a known bottleneck each, for profilers to find. All their time is their own:
// once running they call nothing (mostly_sleeping ends in one system call), take no page fault and
// keep frame pointers, so that a sample's leaf is the function and its chain reaches the thread's
// entry. Safe from any thread; the cost is what is asked for in iterations.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>

namespace stallscope::kernels {

// One cache line of a ring of pointers.
struct alignas(64) ChainNode {
  const ChainNode* next = nullptr;
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

// Joins the nodes into one ring in random order, so that neither prefetcher nor cache foresees the
// next: a single cycle through all of them (Sattolo 1986), or through every `apart`-th, the first
// among them, while those between stay as they are.
void link_randomly(std::span<ChainNode> nodes, std::uint64_t seed, std::size_t apart = 1);

extern "C" {
// A dependent chain of multiplications: bound by the core's latency. Returns the last value.
std::uint64_t hot_arithmetic(std::uint64_t iterations, std::uint64_t seed);
// Follows the ring: bound by memory when the ring exceeds the caches. Returns the node reached.
const stallscope::kernels::ChainNode* chase_pointers(std::uint64_t iterations,
                                                     const stallscope::kernels::ChainNode* start);
// Branches on random bits: bound by mispredictions. Returns the last value.
std::uint64_t mispredict_branches(std::uint64_t iterations, std::uint64_t seed);
// A little arithmetic, then sleeps that long. Returns the last value.
std::uint64_t mostly_sleeping(std::uint64_t iterations, std::uint64_t sleep_ns);
}

}  // namespace stallscope::kernels
