#include "memory/thread_counters.hpp"

#include <span>

namespace stallscope::memory {
namespace {

constexpr std::uint64_t read_misses_of(std::uint64_t cache) noexcept {
  return cache | std::uint64_t{PERF_COUNT_HW_CACHE_OP_READ} << 8U |
         std::uint64_t{PERF_COUNT_HW_CACHE_RESULT_MISS} << 16U;
}

perf_events::event_spec generic(std::size_t name, std::uint32_t type, std::uint64_t config) {
  perf_events::event_spec event;
  event.name = counter_names[name];
  event.type = type;
  event.config = config;
  return event;
}

// In the order of counter_names. The kernel maps these generic events to events of the CPU.
std::array<perf_events::event_spec, counter_count> events() {
  return {generic(0, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CPU_CYCLES),
          generic(1, PERF_TYPE_HARDWARE, PERF_COUNT_HW_INSTRUCTIONS),
          generic(2, PERF_TYPE_HW_CACHE, read_misses_of(PERF_COUNT_HW_CACHE_L1D)),
          generic(3, PERF_TYPE_HARDWARE, PERF_COUNT_HW_CACHE_MISSES),
          generic(4, PERF_TYPE_HW_CACHE, read_misses_of(PERF_COUNT_HW_CACHE_DTLB))};
}

}  // namespace

thread_counters::thread_counters() {
  // Cycles and instructions form a group, because their ratio is used. The other events are
  // separate, so that every event needs only one free counter.
  if (!open(0, 2)) {
    open(0, 1);
    open(1, 1);
  }
  for (std::size_t i = 2; i < counter_count; ++i) open(i, 1);
}

bool thread_counters::open(std::size_t first, std::size_t count) {
  const auto all = events();
  auto opening =
      perf_events::open_group(std::span(all).subspan(first, count), {.user_only = true}, {});
  refusals_[first] = opening.error;
  if (opening.group) groups_.push_back({first, std::move(*opening.group)});
  return opening.error == 0;
}

void thread_counters::enable() const noexcept {
  for (const counter_slot& slot : groups_) static_cast<void>(slot.group.enable());
}

counter_values thread_counters::read() const {
  counter_values counts;
  for (const counter_slot& slot : groups_) {
    perf_events::group_reading reading;
    if (slot.group.read(reading) != 0 || reading.running_ns == 0) continue;
    const double scale =
        static_cast<double>(reading.enabled_ns) / static_cast<double>(reading.running_ns);
    for (std::size_t i = 0; i < reading.values.size(); ++i) {
      counts[slot.first + i] = static_cast<double>(reading.values[i]) * scale;
    }
  }
  return counts;
}

}  // namespace stallscope::memory
