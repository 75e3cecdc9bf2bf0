#include "kernels/work.hpp"

#include <ctime>
#include <utility>

#include "kernels/xorshift.hpp"

namespace stallscope::kernels {
namespace {

constexpr std::uint64_t multiplier = 6364136223846793005U;  // Knuth's MMIX generator
constexpr std::uint64_t increment = 1442695040888963407U;

}  // namespace

void link_randomly(std::span<chain_node> nodes, std::uint64_t seed, std::size_t stride) {
  const std::size_t count = (nodes.size() + stride - 1) / stride;
  for (std::size_t i = 0; i < count; ++i) nodes[i * stride].next = &nodes[i * stride];
  std::uint64_t state = seed | 1U;
  for (std::size_t last = count; last > 1; --last) {
    state = xorshift64(state);
    const std::size_t other = state % (last - 1);
    std::swap(nodes[(last - 1) * stride].next, nodes[other * stride].next);
  }
}

extern "C" {

[[gnu::noinline]] std::uint64_t hot_arithmetic(std::uint64_t iterations, std::uint64_t seed) {
  std::uint64_t value = seed;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value = value * multiplier + increment;
    value ^= value >> 29U;
  }
  return value;
}

[[gnu::noinline]] const chain_node* chase_pointers(std::uint64_t iterations,
                                                   const chain_node* start) {
  const chain_node* node = start;
  for (std::uint64_t i = 0; i < iterations; ++i) node = node->next;
  return node;
}

[[gnu::noinline]] std::uint64_t mispredict_branches(std::uint64_t iterations, std::uint64_t seed) {
  std::uint64_t state = seed | 1U;
  std::uint64_t value = 0;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    state = xorshift64(state);
    // The empty asm statements prevent conditional moves in place of the branches.
    if ((state & 0x100U) != 0) {
      asm volatile("" : "+r"(value));
      value += state;
    } else {
      asm volatile("" : "+r"(value));
      value ^= i;
    }
    if ((state & 0x10000U) != 0) {
      asm volatile("" : "+r"(value));
      value -= i;
    }
  }
  return value;
}

[[gnu::noinline]] std::uint64_t mostly_sleeping(std::uint64_t iterations, std::uint64_t sleep_ns) {
  std::uint64_t value = sleep_ns;
  for (std::uint64_t i = 0; i < iterations; ++i) {
    value = value * multiplier + increment;
    value ^= value >> 31U;
  }
  const timespec pause{.tv_sec = static_cast<std::time_t>(sleep_ns / 1'000'000'000U),
                       .tv_nsec = static_cast<long>(sleep_ns % 1'000'000'000U)};
  clock_nanosleep(CLOCK_MONOTONIC, 0, &pause, nullptr);
  return value;
}

}  // extern "C"

}  // namespace stallscope::kernels
