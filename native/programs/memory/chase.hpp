// Measures one point of the memory lab: threads walk private rings of cache lines, all at the same
// time, and the latency per step is measured. The cost is the page faults of the
// rings, one walk through every ring, and the repeats. Any thread; it blocks until the threads end.
//
//   const std::vector<thread_chase> threads = measure(point, {.repeats = 5}, events);
#pragma once

#include <cstdint>
#include <map>
#include <span>
#include <vector>

#include "ring_memory.hpp"
#include "thread_counters.hpp"

namespace stallscope::memory {

// The order in which a ring visits its lines. With prefetch instructions, each step also requests
// the line that is several random steps ahead.
enum class chase_order { random, ascending, prefetched };

struct chase_point {
  std::uint64_t lines = 0;         // lines in the ring; one step visits one line
  std::uint64_t stride_bytes = 0;  // distance between lines in memory; a multiple of 64
  page_kind pages = page_kind::small;
  chase_order order = chase_order::random;
  std::optional<int> node{};
  std::vector<int> cpus{};  // one pinned thread per entry
};

struct measurement_pace {
  unsigned repeats = 5;
  std::uint64_t repeat_ns = 5'000'000;
  // Minimum warm-up, so that the CPU leaves its sleep states and low frequencies.
  std::uint64_t settle_ns = 2'000'000;
};

struct thread_chase {
  std::uint64_t steps = 0;         // per repeat
  std::vector<double> latency_ns;  // per step, by repeat
  std::vector<event_count> counts_per_step;
  pages_obtained pages;
  std::map<int, std::size_t> pages_by_node;
};

// Returns the measurements of all threads, each with the counts of these events. Throws
// std::system_error if a thread cannot be pinned or its ring cannot be allocated.
std::vector<thread_chase> measure(const chase_point& point, const measurement_pace& pace,
                                  std::span<const perf_events::event_spec> events);

}  // namespace stallscope::memory
