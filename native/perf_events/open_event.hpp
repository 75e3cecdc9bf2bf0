// Opening perf events. Each open is one system call; any thread may call.
#pragma once

#include <linux/perf_event.h>
#include <sys/types.h>

#include <cstdint>
#include <vector>

#include "base/descriptor.hpp"
#include "perf_events/event_spec.hpp"

namespace stallscope::perf_events {

// The size of every attribute passed to the kernel and written to files. Version 7 (up to
// sig_data) holds all the bits used here, while readers of perf 6.1 and before reject the 136 bytes
// of newer ones.
inline constexpr std::uint32_t attribute_bytes = PERF_ATTR_SIZE_VER7;

// What a sample holds, in this order: identifier, ip, pid and tid, time, cpu, period, callchain;
// behind them, where stacks are copied, the user's registers and the copy.
inline constexpr std::uint64_t sample_fields =
    PERF_SAMPLE_IDENTIFIER | PERF_SAMPLE_IP | PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CPU |
    PERF_SAMPLE_PERIOD | PERF_SAMPLE_CALLCHAIN;

// Since Linux 6.0; older headers lack it.
inline constexpr std::uint64_t format_lost = 1U << 4U;

struct sampling {
  std::uint64_t frequency_hz = 999;  // used where period is 0
  std::uint64_t period = 0;
  std::uint32_t wakeup_bytes = 0;
  bool wake_per_sample = false;  // at every sample, not at so many bytes
  std::uint16_t max_stack = 0;   // 0: the kernel's limit
  // Copied from the top of the user's stack with these registers (a mask of the architecture's
  // perf_regs.h), instead of the user's call chain; 0: no copy, the chain by frame pointers.
  std::uint32_t stack_bytes = 0;
  std::uint64_t user_registers = 0;
  bool user_only = false;
  bool inherit = true;
  bool build_ids = true;   // in mmap2 records, since Linux 5.12
  bool count_lost = true;  // PERF_FORMAT_LOST, since Linux 6.0
  bool enable_on_exec = false;
  bool read_group = false;  // each sample holds the counts of all events of its group
};

perf_event_attr sampling_attribute(const event_spec& event, const sampling& how);

// The attribute of an event that is counted in the group of one sampled as `how` says, and does
// not sample itself. Members are on while their leader is.
perf_event_attr member_attribute(const event_spec& event, const sampling& how);

// The attribute of the event that owns a ring: it never fires.
perf_event_attr ring_attribute(std::uint32_t wakeup_bytes);

struct event_place {
  pid_t pid = 0;  // a thread; 0: this one; -1: all; a cgroup's descriptor with PERF_FLAG_PID_CGROUP
  int cpu = -1;
  unsigned long flags = 0;
  int group_fd = -1;  // the descriptor of the leader whose group it joins
};

struct open_result {
  descriptor fd;
  int error = 0;  // errno where the kernel refused
};

open_result open_event(const perf_event_attr& attribute, const event_place& place) noexcept;

// The id that samples carry; 0 where the kernel gave none.
std::uint64_t event_id(const descriptor& fd) noexcept;

struct event_reading {
  std::uint64_t value = 0;
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  std::uint64_t lost = 0;
  std::vector<std::uint64_t> others{};  // of its group, in the order of opening
};

// The counter's value; false where it cannot be read.
bool read_event(const descriptor& fd, event_reading& reading) noexcept;

// The same for an event that reads its whole group, of `size` events; it is the one at `place`.
bool read_group(const descriptor& fd, std::size_t size, std::size_t place, event_reading& reading);

}  // namespace stallscope::perf_events
