// Opens and reads perf events. An open is one system call. Any thread.
//
//   const auto attribute = sampling_attribute(cpu_clock(), {.frequency_hz = 99});
//   const open_result result = open_event(attribute, {.pid = pid, .cpu = cpu});
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/descriptor.hpp"
#include "perf_events/event_spec.hpp"

namespace stallscope::perf_events {

// The size of every attribute passed to the kernel and written to files. Version 7 (up to sig_data)
// has all the fields used here. perf 6.1 and earlier reject the 136 bytes of newer versions.
inline constexpr std::uint32_t attribute_bytes = PERF_ATTR_SIZE_VER7;

// The fields of a sample, in this order: identifier, ip, pid and tid, time, cpu, period, callchain.
// With copied stacks, the user registers and the copy follow.
inline constexpr std::uint64_t sample_fields =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
    PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;

// Since Linux 6.0; older headers lack it.
inline constexpr std::uint64_t format_lost = 1U << 4U;

struct sampling {
  std::uint64_t frequency_hz = 999;  // used if period is 0
  std::uint64_t period = 0;
  std::uint32_t wakeup_bytes = 0;
  bool wake_per_sample = false;  // wake at every sample instead of after wakeup_bytes
  std::uint16_t max_stack = 0;   // 0: the kernel's limit
  // The size of the copy from the top of the user stack, and the copied registers (a mask of the
  // architecture's perf_regs.h). The copy replaces the user call chain. 0: call chain, no copy.
  std::uint32_t stack_bytes = 0;
  std::uint64_t user_registers = 0;
  bool user_only = false;
  bool inherit = true;
  bool build_ids = true;   // in mmap2 records, since Linux 5.12
  bool count_lost = true;  // PERF_FORMAT_LOST, since Linux 6.0
  bool enable_on_exec = false;
  bool context_switches = false;  // with records of the target's context switches
  bool read_group = false;        // each sample holds the counts of all events of its group
};

perf_event_attr sampling_attribute(const event_spec& event, const sampling& how);

// The attribute of an event that counts in the group of a sampled event without sampling. Members
// are enabled with their leader.
perf_event_attr member_attribute(const event_spec& event, const sampling& how);

// The attribute of the event that owns a ring. It never fires.
perf_event_attr ring_attribute(std::uint32_t wakeup_bytes);

struct event_place {
  pid_t pid =
      0;  // thread; 0: this thread; -1: all; with PERF_FLAG_PID_CGROUP a cgroup's descriptor
  int cpu = -1;
  unsigned long flags = 0;
  int group_fd = -1;  // the descriptor of the group's leader
};

struct open_result {
  descriptor fd;
  int error = 0;  // the kernel's errno
};

open_result open_event(const perf_event_attr& attribute, const event_place& place) noexcept;

// Returns the event's id in samples; 0 if there is none.
std::uint64_t event_id(const descriptor& fd) noexcept;

struct event_reading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  std::uint64_t lost = 0;
  std::vector<std::uint64_t> others{};  // the other events of the group, in the order of opening
};

// Reads the counter. Returns false on failure.
bool read_event(const descriptor& fd, event_reading& reading) noexcept;

// The same for a group of `size` events; the event's own index in it is `place`.
bool read_group(const descriptor& fd, std::size_t size, std::size_t place, event_reading& reading);

}  // namespace stallscope::perf_events
