// The events that observe all processes of each CPU beside the target's own: switches, wake-ups and
// contended kernel locks. Costs a descriptor per event and CPU, and the records of all processes.
// There are two groups per CPU, so that one system call per CPU enables or disables one: the events
// that record every switch, and those of windows, which start disabled. Any thread may call the
// constant functions; open_window() and close_window() belong to one thread.
//
//   cpu_wide_events events{plan.of_cpus, rings.rings};
//   if (events.error() != 0) report(events.error());
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "collect/event_aliases.hpp"
#include "collect/wait_events.hpp"
#include "perf_events/ring.hpp"

namespace stallscope::collect {

// The events of windows that stay open, and disabled, between windows. Each costs time at every
// switch or wake-up; opening one costs some 0.2 ms per CPU.
enum class between_windows { all, all_but_wake_ups, none };

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
  // switch, and starts the CPU samples.
  void start_windows(between_windows kept);
  // Both act on the events of windows, apart from CPU samples. The first one returns false if the
  // kernel refuses the events now.
  bool open_window();
  void close_window();
  // The ids of events that were opened again, for the records of their windows.
  [[nodiscard]] event_aliases& aliases() { return aliases_; }

 private:
  struct cpu_group {
    std::vector<descriptor> leaders;  // one per CPU
    std::vector<descriptor> members;
    std::vector<descriptor> wake_ups;
  };
  int open_on(const perf_events::ring& target);
  // Opens the switches and their samples of a CPU again.
  bool reopen_on(std::size_t cpu_index, std::vector<event_aliases::alias>& opened);
  void close_windows();

  std::vector<wait_event> events_;
  std::span<const perf_events::ring> rings_;
  bool closed_between_ = false;
  event_aliases aliases_;

  cpu_group every_switch_;
  cpu_group windows_;
  std::vector<descriptor> cpu_samples_;
  std::vector<std::vector<std::uint64_t>> ids_;
  int error_ = 0;
};

}  // namespace stallscope::collect
