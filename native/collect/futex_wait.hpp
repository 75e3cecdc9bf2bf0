// A wait on a futex, from the registers that a thread had when it left the CPU. Costs a few loads
// from the ring.
//
//   if (const auto wait = futex_wait_of(record, attribute)) owners.note(*wait);
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>

#include "perf_events/ring_view.hpp"

namespace stallscope::collect {

struct futex_wait {
  pid_t pid = 0;
  pid_t tid = 0;
  std::uint64_t time_ns = 0;  // of the switch
  std::uint64_t address = 0;  // of the futex
  std::uint32_t operation = 0;
  std::uint32_t value = 0;  // that the futex had
};

// The wait of a sample of the context-switches event with these attributes. nullopt if the
// registers are not those of a system call, or their values are not those of a futex wait. Whether
// the call is futex() is not in the registers: compare /proc/TID/syscall.
std::optional<futex_wait> futex_wait_of(const perf_events::record_view& record,
                                        const perf_event_attr& attribute) noexcept;

}  // namespace stallscope::collect
