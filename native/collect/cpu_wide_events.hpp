// The events that observe all processes of each CPU beside the target's own: switches, wake-ups and
// contended kernel locks. Costs a descriptor per event and CPU, and the records of all processes.
// There are two groups per CPU, so that one system call per CPU enables or disables one: the events
// that record every switch, and those of windows, which start disabled. Any thread may call the
// constant functions.
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
  // Both act on the events that record every switch.
  void enable() const;
  void disable() const;
  // Closes the events that record every switch, because disabled ones still cost time at each
  // switch, and starts the CPU samples. Wake-ups, the most expensive ones between windows, are
  // closed on request.
  void start_windows(bool with_wake_ups);
  // Both act on the events of windows, apart from CPU samples.
  void open_window() const;
  void close_window() const;

 private:
  struct cpu_group {
    std::vector<descriptor> leaders;  // one per CPU
    std::vector<descriptor> members;
    std::vector<descriptor> wake_ups;
  };
  int open_on(std::span<const wait_event> events, const perf_events::ring& target);

  cpu_group every_switch_;
  cpu_group windows_;
  std::vector<descriptor> cpu_samples_;
  std::vector<std::vector<std::uint64_t>> ids_;
  int error_ = 0;
};

}  // namespace stallscope::collect
