// Remembers when the loader itself was stalled (stopped, without a CPU, overloaded), and how much
// of the time since a given moment that was. Cost: a few ns per call on average, memory at most 64
// KiB. One thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>

namespace stallscope::load {

class stall_log {
 public:
  // Adds a stall; overlaps with earlier stalls count once. If more than `max_count` are stored, the
  // last two are merged into one of the same total length that ends with the later one.
  void add(std::uint64_t from_ns, std::uint64_t to_ns);
  // Stalled time since `time_ns`. Stalls before that are dropped, so times must not decrease from
  // call to call.
  [[nodiscard]] std::uint64_t since(std::uint64_t time_ns);

  static constexpr std::size_t max_count = 4096;

 private:
  struct interval {
    std::uint64_t from_ns;
    std::uint64_t to_ns;
  };

  std::deque<interval> kept_;  // disjoint, in order
  std::uint64_t last_ns_ = 0;  // end of the latest stall
  std::uint64_t total_ns_ = 0;
};

}  // namespace stallscope::load
