// One point of the lab: threads that each walk a ring of their own in random order, all at the same
// time, and what a step took. Costs making the rings, one walk through each, and the repeats.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ring_memory.hpp"
#include "thread_counters.hpp"

namespace stallscope::memory {

struct chase_point {
  std::uint64_t lines = 0;         // of the ring, one step each
  std::uint64_t stride_bytes = 0;  // from line to line in memory; a multiple of 64
  page_kind pages = page_kind::small;
  std::optional<int> node{};
  std::vector<int> cpus{};  // one thread is pinned to each
};

struct measurement_pace {
  unsigned repeats = 5;
  std::uint64_t repeat_ns = 5'000'000;
  // Walked at least so long beforehand, so that the CPU has left its sleep states and low
  // frequencies.
  std::uint64_t settle_ns = 2'000'000;
};

struct thread_chase {
  std::uint64_t steps = 0;         // of each repeat
  std::vector<double> latency_ns;  // of a step, by repeat
  counter_values counts_per_step{};
  std::array<int, counter_count> counter_refusals{};
  pages_obtained pages;
  std::map<int, std::size_t> pages_by_node;
};

// Throws std::system_error where a thread cannot be pinned or have its ring.
std::vector<thread_chase> measure(const chase_point& point, const measurement_pace& pace);

}  // namespace stallscope::memory
