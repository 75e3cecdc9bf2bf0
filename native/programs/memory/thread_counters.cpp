#include "memory/thread_counters.hpp"

namespace stallscope::memory {
namespace {

constexpr std::uint64_t read_misses_of(std::uint64_t cache) noexcept {
  return cache | std::uint64_t{PERF_COUNT_HW_CACHE_OP_READ} << 8U |
         std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16U;
}

perf_events::event_spec generic(const char* name, std::uint32_t type, std::uint64_t config) {
  perf_events::event_spec event;
  event.name = name;
  event.type = type;
  event.config = config;
  return event;
}

}  // namespace

std::vector<perf_events::event_spec> default_events() {
  return {
      generic("cycles", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
      generic("instructions", PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
      generic("l1d_read_misses", PERF_TYPE_HW_CACHE, read_misses_of(PERF_COUNT_HW_CACHE_L1D)),
      generic("last_level_misses", PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES),
      generic("dtlb_read_misses", PERF_TYPE_HW_CACHE, read_misses_of(PERF_COUNT_HW_CACHE_DTLB))};
}

thread_counters::thread_counters(std::span<const perf_events::event_spec> events) {
  for (const auto& event : events) events_.push_back({event.name});
  // The first two events, cycles and instructions, form a group, because their ratio is used. The
  // others are separate, so that every event needs only one free counter.
  std::size_t first = events.size() >= 2 && open(events.first(2), 0) ? 2 : 0;
  for (; first < events.size(); ++first) open(events.subspan(first, 1), first);
}

bool thread_counters::open(std::span<const perf_events::event_spec> events, std::size_t first) {
  // Context switches and page faults happen in the kernel.
  const bool software = events.front().type == PERF_TYPE_SOFTWARE;
  auto opening = perf_events::open_group(events, {.user_only = !software}, {});
  for (std::size_t i = 0; i < events.size(); ++i) events_[first + i].refusal = opening.error;
  if (opening.group) groups_.push_back({first, std::move(*opening.group)});
  return opening.error == 0;
}

void thread_counters::enable() const noexcept {
  for (const counter_slot& slot : groups_) static_cast<void>(slot.group.enable());
}

std::vector<event_count> thread_counters::read() const {
  auto counts = events_;
  for (const counter_slot& slot : groups_) {
    perf_events::group_reading reading;
    if (slot.group.read(reading) != 0 || reading.running_ns == 0) continue;
    const double scale =
        static_cast<double>(reading.enabled_ns) / static_cast<double>(reading.running_ns);
    for (std::size_t i = 0; i < reading.values.size(); ++i) {
      counts[slot.first + i].count = static_cast<double>(reading.values[i]) * scale;
    }
  }
  return counts;
}

}  // namespace stallscope::memory
