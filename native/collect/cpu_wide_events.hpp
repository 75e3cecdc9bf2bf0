// The events that observe all processes of each CPU beside the target's own: switches, wake-ups and
// contended kernel locks. Costs a descriptor per event and CPU, and the records of all processes.
// One thread.
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
  void enable() const;
  void disable() const;

 private:
  int open(const wait_event& event, const perf_events::ring& target,
           std::vector<std::uint64_t>& ids);

  std::vector<descriptor> opened_;
  std::vector<std::vector<std::uint64_t>> ids_;
  int error_ = 0;
};

}  // namespace stallscope::collect
