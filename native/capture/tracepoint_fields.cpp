#include "capture/tracepoint_fields.hpp"

#include <algorithm>

#include "capture/wire.hpp"

namespace stallscope::capture {
namespace {

// Offsets in sched_waking: common fields, comm[16], pid, prio, (success until 4.13,) target_cpu.
constexpr std::size_t common_flags_at = 2;
constexpr std::size_t comm_at = 8;
constexpr std::size_t comm_bytes = 16;
constexpr std::size_t waking_pid_at = 24;
// Offsets in sched_switch: common fields, prev_comm[16], prev_pid, prev_prio, prev_state, and the
// same of the next thread without a state. The low bits of the state are those of a thread that
// does not run; the bit above them is that of a preempted one.
constexpr std::size_t prev_state_at = 32;
constexpr std::size_t next_comm_at = 40;
constexpr std::size_t next_pid_at = 56;
constexpr std::uint64_t states_not_running = 0xff;
// Offsets in contention_begin (flags) and contention_end (result).
constexpr std::size_t lock_address_at = 8;
constexpr std::size_t lock_flags_at = 16;

}  // namespace

raw_fields keep_fields(std::span<const std::byte> raw) {
  raw_fields kept;
  if (raw.size() >= next_pid_at + 4) {
    const auto keep = [&](std::size_t from, std::size_t bytes, std::size_t to) {
      std::copy_n(raw.begin() + static_cast<std::ptrdiff_t>(from), bytes,
                  kept.bytes.begin() + static_cast<std::ptrdiff_t>(to));
    };
    keep(next_comm_at, comm_bytes, comm_at);
    keep(next_pid_at, 4, waking_pid_at);
    keep(prev_state_at, 8, prev_state_at);
    kept.size = static_cast<std::uint8_t>(kept.bytes.size());
    return kept;
  }
  kept.size = static_cast<std::uint8_t>(std::min(raw.size(), kept.bytes.size()));
  std::copy_n(raw.begin(), kept.size, kept.bytes.begin());
  return kept;
}

tracepoint tracepoint_of(std::string_view event_name) {
  // perf appends modifiers: "sched:sched_waking:u".
  const auto is = [event_name](std::string_view name) {
    return event_name.starts_with(name) &&
           (event_name.size() == name.size() || event_name[name.size()] == ':');
  };
  if (is("sched:sched_switch")) {
    return tracepoint::switched;
  }
  if (is("sched:sched_waking")) {
    return tracepoint::waking;
  }
  if (is("lock:contention_begin")) {
    return tracepoint::contention_begin;
  }
  return is("lock:contention_end") ? tracepoint::contention_end : tracepoint::other;
}

std::optional<waking_fields> parse_waking(const raw_fields& raw, bool swap) {
  if (raw.size < waking_pid_at + 4) {
    return std::nullopt;
  }
  waking_fields fields;
  const std::string_view name = as_text(std::span(raw.bytes).subspan(comm_at, comm_bytes));
  fields.name = name.substr(0, name.find('\0'));
  fields.tid =
      static_cast<std::int32_t>(load<std::uint32_t>(raw.bytes.data() + waking_pid_at, swap));
  fields.flags = load<std::uint8_t>(raw.bytes.data() + common_flags_at, swap);
  return fields;
}

std::optional<switch_fields> parse_switch(const raw_fields& raw, bool swap) {
  if (raw.size < raw.bytes.size()) {
    return std::nullopt;
  }
  switch_fields fields;
  const std::string_view name = as_text(std::span(raw.bytes).subspan(comm_at, comm_bytes));
  fields.next_name = name.substr(0, name.find('\0'));
  fields.next_tid =
      static_cast<std::int32_t>(load<std::uint32_t>(raw.bytes.data() + waking_pid_at, swap));
  const auto state = load<std::uint64_t>(raw.bytes.data() + prev_state_at, swap);
  fields.still_runnable = (state & states_not_running) == 0;
  return fields;
}

std::optional<contention_fields> parse_contention(const raw_fields& raw, bool swap) {
  if (raw.size < lock_flags_at + 4) {
    return std::nullopt;
  }
  return contention_fields{load<std::uint64_t>(raw.bytes.data() + lock_address_at, swap),
                           load<std::uint32_t>(raw.bytes.data() + lock_flags_at, swap)};
}

}  // namespace stallscope::capture
