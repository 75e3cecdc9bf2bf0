// The fields of the tracepoints about waiting, from the raw bytes of samples. The layouts are those
// that the kernel has had since these tracepoints exist; the size identifies the version. Pure
// computation. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string_view>

namespace stallscope::capture {

// The fields of a tracepoint that are read: its first bytes, or, of one as long as sched_switch,
// the fields of sched_switch.
struct raw_fields {
  std::array<std::byte, 40> bytes{};
  std::uint8_t size = 0;  // of the recorded bytes, at most that of the array
};
raw_fields keep_fields(std::span<const std::byte> raw);

enum class tracepoint : std::uint8_t { other, switched, waking, contention_begin, contention_end };
// From the event's name, such as "sched:sched_waking".
tracepoint tracepoint_of(std::string_view event_name);

struct waking_fields {
  std::string_view name;  // of the thread that wakes up, as the kernel writes it
  std::int32_t tid = -1;
  std::uint8_t flags = 0;
};
// nullopt if the fields are too short.
std::optional<waking_fields> parse_waking(const raw_fields& raw, bool swap);

struct switch_fields {
  std::string_view next_name;
  std::int32_t next_tid = -1;
  bool still_runnable = false;  // the thread that leaves the CPU
};
std::optional<switch_fields> parse_switch(const raw_fields& raw, bool swap);

struct contention_fields {
  std::uint64_t address = 0;
  std::uint32_t flags = 0;
};
std::optional<contention_fields> parse_contention(const raw_fields& raw, bool swap);

}  // namespace stallscope::capture
