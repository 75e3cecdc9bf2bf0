// The events that observe all processes of each CPU beside the target's own: switches, wake-ups and
// contended kernel locks. Costs a descriptor per event and CPU, and the records of all processes.
// The events of a CPU are a group, so that one system call per CPU enables or disables them. Any
// thread may call the constant functions.
//
//   cpu_wide_events events{plan.of_cpus, rings.rings};
//   if (events.error() != 0) report(events.error());
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collect/wait_events.hpp"
#include "perf_events/ring.hpp"

namespace stallscope::collect {

class cpu_wide_events {
 public:
  // Opens the events into the rings. The rings must outlive the object. After an error no event is
  // open.
  cpu_wide_events(std::span<const wait_event> events, std::span<const perf_events::ring> rings);

  // The kernel's error; 0 if all events are open.
  [[nodiscard]] int error() const { return error_; }
  // The ids of an event, by its index.
  [[nodiscard]] const std::vector<std::uint64_t>& ids_of(std::size_t event) const {
    return ids_[event];
  }
  // Both act on all events but the CPU samples and those of windows that have not started.
  void enable() const;
  void disable() const;
  // Starts the events that belong to windows: CPU samples at once, the others in each window.
  void start_windows() const;

 private:
  int open_group(std::span<const wait_event> events, const perf_events::ring& target);

  std::vector<descriptor> leaders_;  // one per CPU: the switches
  std::vector<descriptor> others_;
  std::vector<int> of_windows_;
  std::vector<std::vector<std::uint64_t>> ids_;
  int error_ = 0;
};

}  // namespace stallscope::collect
