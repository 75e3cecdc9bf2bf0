// Counters of the calling thread, as far as the PMU and the kernel support them: hardware events in
// user mode, software events. Construct, use and destroy on the measured thread. A read costs one
// system call per group.
//
//   const thread_counters counters{default_events()};
//   counters.enable();
//   ...  // the measured work
//   for (const event_count& event : counters.read()) print(event.name, event.count);
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "perf_events/event_group.hpp"

namespace stallscope::memory {

struct event_count {
  std::string name;
  std::optional<double> count{};  // nullopt if the event was refused or never ran
  int refusal = 0;                // errno of the kernel, 0 for an event that counts
};

// Cycles, instructions and misses of caches and TLB, which the kernel maps to events of the CPU.
std::vector<perf_events::event_spec> default_events();

class thread_counters {
 public:
  explicit thread_counters(std::span<const perf_events::event_spec> events);
  // Starts counting.
  void enable() const noexcept;
  // Returns the counts since enable(), in the order of the events. Multiplexed counters are scaled
  // by their running time.
  [[nodiscard]] std::vector<event_count> read() const;

 private:
  struct counter_slot {
    std::size_t first;  // index of the group's first event
    perf_events::event_group group;
  };
  bool open(std::span<const perf_events::event_spec> events, std::size_t first);

  std::vector<counter_slot> groups_;
  std::vector<event_count> events_;
};

}  // namespace stallscope::memory
