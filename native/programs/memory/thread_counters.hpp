// Hardware counters of the calling thread: cycles and instructions in one group, and cache and TLB
// misses, as far as the PMU and the kernel support them. Construct, use and destroy on the measured
// thread. A read costs one system call per group.
//
//   const thread_counters counters;
//   counters.enable();
//   ...  // the measured work
//   const counter_values counts = counters.read();
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

// One value per name; nullopt if the event was not counted.
using counter_values = std::array<std::optional<double>, counter_count>;

class thread_counters {
 public:
  thread_counters();
  // Returns an errno per event that the kernel refused; 0 for events that count.
  [[nodiscard]] const std::array<int, counter_count>& refusals() const noexcept {
    return refusals_;
  }
  // Starts counting.
  void enable() const noexcept;
  // Returns the user-mode events since enable(). Multiplexed counters are scaled by their running
  // time. A value is nullopt if the event was refused or never ran.
  [[nodiscard]] counter_values read() const;

 private:
  struct counter_slot {
    std::size_t first;  // index of the name of the group's first event
    perf_events::event_group group;
  };
  bool open(std::size_t first, std::size_t count);

  std::vector<counter_slot> groups_;
  std::array<int, counter_count> refusals_{};
};

}  // namespace stallscope::memory
