// Measures one point of the memory lab: threads that walk separate rings in random order at the
// same time, and the latency of a step. Costs the construction of the rings, one walk through them,
// and the repeats. measure() blocks its thread.
#pragma once

#include <cstdint>
#include <map>
#include <vector>

#include "ring_memory.hpp"
#include "thread_counters.hpp"

namespace stallscope::memory {

struct chase_point {
  std::uint64_t lines = 0;         // cache lines of the ring, one step per line
  std::uint64_t stride_bytes = 0;  // distance between lines in memory; a multiple of 64
  page_kind pages = page_kind::small;
  std::optional<int> node{};
  std::vector<int> cpus{};  // one pinned thread per CPU
};

struct measurement_pace {
  unsigned repeats = 5;
  std::uint64_t repeat_ns = 5'000'000;
  // Minimum warm-up, so that the CPU has left its sleep states and low frequencies.
  std::uint64_t settle_ns = 2'000'000;
};

struct thread_chase {
  std::uint64_t steps = 0;         // per repeat
  std::vector<double> latency_ns;  // per step, by repeat
  counter_values counts_per_step{};
  std::array<int, counter_count> counter_refusals{};
  pages_obtained pages;
  std::map<int, std::size_t> pages_by_node;
};

// Throws std::system_error if a thread cannot be pinned or its ring cannot be allocated.
std::vector<thread_chase> measure(const chase_point& point, const measurement_pace& pace);

}  // namespace stallscope::memory
