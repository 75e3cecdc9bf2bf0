// Hardware counters of the calling thread: cycles and instructions in one group, and cache and TLB
// misses, if the PMU and the kernel support them. Construct, use and destroy it on that thread. A
// read costs a system call per group.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "perf_events/event_group.hpp"

namespace stallscope::memory {

inline constexpr std::size_t counter_count = 5;
inline constexpr std::array<const char*, counter_count> counter_names = {
    "cycles", "instructions", "l1d_read_misses", "last_level_misses", "dtlb_read_misses"};

// Values in the order of counter_names.
using counter_values = std::array<std::optional<double>, counter_count>;

class thread_counters {
 public:
  thread_counters();
  // errno by event; 0 if the event is counted.
  [[nodiscard]] const std::array<int, counter_count>& refusals() const noexcept {
    return refusals_;
  }
  // Starts counting.
  void enable() const noexcept;
  // User-mode events since enable(). A multiplexed counter is scaled by its running time; a value
  // is empty if the event was refused or never ran.
  [[nodiscard]] counter_values read() const;

 private:
  struct counter_slot {
    std::size_t first;  // index in counter_names of the group's first event
    perf_events::event_group group;
  };
  bool open(std::size_t first, std::size_t count);

  std::vector<counter_slot> groups_;
  std::array<int, counter_count> refusals_{};
};

}  // namespace stallscope::memory
