// Hardware counters of one thread around a piece of its work: cycles and instructions, counted
// together, and misses, as far as the CPU's PMU and the kernel allow. Made, used and destroyed by
// that thread; a read costs a system call for each group.
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

// One value for each name.
using counter_values = std::array<std::optional<double>, counter_count>;

class thread_counters {
 public:
  thread_counters();
  // errno of each event that the kernel refused; 0 where it counts.
  [[nodiscard]] const std::array<int, counter_count>& refusals() const noexcept {
    return refusals_;
  }
  // Counts from now on.
  void enable() const noexcept;
  // User-mode events since then, those of a multiplexed counter scaled by its time; none where it
  // was refused or never ran.
  [[nodiscard]] counter_values read() const;

 private:
  struct counter_slot {
    std::size_t first;  // the name of the group's first event
    perf_events::event_group group;
  };
  bool open(std::size_t first, std::size_t count);

  std::vector<counter_slot> groups_;
  std::array<int, counter_count> refusals_{};
};

}  // namespace stallscope::memory
