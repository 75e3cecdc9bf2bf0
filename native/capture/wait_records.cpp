#include "capture/wait_records.hpp"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <bit>
#include <limits>
#include <optional>

#include "capture/thread_finder.hpp"
#include "capture/time_order.hpp"
#include "capture/wire.hpp"

namespace stallscope::capture {
namespace {

constexpr std::uint16_t switch_out = 1U << 13U;
constexpr std::uint16_t still_runnable = 1U << 14U;
constexpr std::size_t max_cpus = 65'536;
constexpr bool is_big_endian = std::endian::native == std::endian::big;

using register_numbers = std::array<unsigned, wait_columns::register_count>;
// Numbers of asm/perf_regs.h: ip, sp, result, six arguments, return address.
constexpr register_numbers x86_registers{8, 7, 0, 5, 4, 3, 18, 16, 17, 2};
constexpr register_numbers arm64_registers{32, 31, 8, 0, 1, 2, 3, 4, 5, 30};
constexpr unsigned arm64_pc = 32;  // x86 has no register with this number

bool is_context_switch(const attribute& event) {
  return event.type == PERF_TYPE_SOFTWARE && event.config == PERF_COUNT_SW_CONTEXT_SWITCHES;
}

void append_registers(const attribute& event, const sample_fields& fields, bool swap,
                      column<std::uint64_t>& into) {
  const std::uint64_t mask = event.registers_user;
  const bool is_arm64 = (mask >> arm64_pc & 1U) != 0;
  for (const unsigned number : is_arm64 ? arm64_registers : x86_registers) {
    const std::uint64_t bit = std::uint64_t{1} << number;
    const auto at = 8 * static_cast<std::size_t>(std::popcount(mask & (bit - 1)));
    const bool recorded = (mask & bit) != 0 && at + 8 <= fields.user_registers.size();
    into.push_back(recorded ? load<std::uint64_t>(fields.user_registers.data() + at, swap) : 0);
  }
}

// Adds the number of a row to a column that stays empty until a sample has a row.
void add_row(column<std::uint32_t>& rows, std::size_t sample, std::size_t row) {
  rows.resize(sample, wait_columns::none);
  rows.push_back(static_cast<std::uint32_t>(row));
}

void pad_rows(column<std::uint32_t>& rows, std::size_t samples) {
  if (rows.size() != 0) {
    rows.resize(samples, wait_columns::none);
  }
}

// Records that perf writes about threads from before the recording have the time 0.
void add_tasks(thread_table& threads, const sideband& side, task_columns& into) {
  for (const sideband_event& event : side.events()) {
    task_kind kind = task_kind::start;
    if (event.kind == sideband_kind::exit) {
      kind = task_kind::exit;
    } else if (event.kind == sideband_kind::exec) {
      kind = task_kind::exec;
    } else if (event.kind != sideband_kind::fork) {
      continue;
    }
    if (event.time_ns != 0) {
      into.time_ns.push_back(event.time_ns);
      into.thread.push_back(threads.intern(event.pid, event.tid));
      into.kind.push_back(static_cast<std::uint8_t>(kind));
    }
  }
}

void add_wake(const sample_columns& samples, std::size_t row,
              const std::optional<waking_fields>& fields, thread_finder& finder,
              wake_columns& into) {
  if (!fields || fields->tid <= 0) {
    return;
  }
  into.time_ns.push_back(samples.time_ns[row]);
  into.wakee.push_back(finder.find(fields->tid, samples.time_ns[row], fields->name));
  into.waker.push_back(samples.thread[row]);
  into.stack.push_back(samples.stack[row]);
  into.cpu.push_back(samples.cpu[row]);
  into.flags.push_back(fields->flags);
}

// Adds the end of one thread's run and the beginning of the next one's.
void add_switch_sample(const sample_columns& samples, std::size_t row,
                       const std::optional<switch_fields>& fields, thread_finder& finder,
                       switch_columns& into) {
  if (!fields || fields->next_tid < 0) {
    return;
  }
  const std::uint64_t time_ns = samples.time_ns[row];
  const std::uint32_t previous = samples.thread[row];
  const std::uint32_t next = finder.find(fields->next_tid, time_ns, fields->next_name);
  const auto add = [&](std::uint32_t thread, std::uint32_t other, switch_kind kind) {
    into.time_ns.push_back(time_ns);
    into.thread.push_back(thread);
    into.other.push_back(other);
    into.cpu.push_back(samples.cpu[row]);
    into.kind.push_back(static_cast<std::uint8_t>(kind));
  };
  add(previous, next,
      fields->still_runnable ? switch_kind::out_preempted : switch_kind::out_asleep);
  add(next, previous, switch_kind::in);
}

void add_contention(const sample_columns& samples, std::size_t row, tracepoint kind,
                    const std::optional<contention_fields>& fields, contention_columns& into) {
  if (!fields) {
    return;
  }
  into.time_ns.push_back(samples.time_ns[row]);
  into.address.push_back(fields->address);
  into.thread.push_back(samples.thread[row]);
  into.stack.push_back(samples.stack[row]);
  into.flags.push_back(fields->flags);
  into.end.push_back(kind == tracepoint::contention_end ? 1 : 0);
}

}  // namespace

std::uint64_t& wait_records::latest_ns(std::int32_t cpu) {
  const std::size_t place =
      cpu >= 0 && static_cast<std::size_t>(cpu) < max_cpus ? static_cast<std::size_t>(cpu) + 1 : 0;
  if (place >= latest_ns_.size()) {
    latest_ns_.resize(place + 1);
  }
  return latest_ns_[place];
}

void wait_records::note_time(std::int32_t cpu, std::uint64_t time_ns) {
  std::uint64_t& latest = latest_ns(cpu);
  latest = std::max(latest, time_ns);
}

void wait_records::add_switch(const switch_row& row, switch_columns& into) {
  if (into.time_ns.size() == std::numeric_limits<std::uint32_t>::max()) {
    throw limit_exceeded("more than 4,294,967,295 context switches");
  }
  note_time(row.cpu, row.time_ns);
  switch_kind kind = switch_kind::in;
  if ((row.misc & switch_out) != 0) {
    kind = (row.misc & still_runnable) != 0 ? switch_kind::out_preempted : switch_kind::out_asleep;
  }
  into.time_ns.push_back(row.time_ns);
  into.thread.push_back(row.thread);
  into.other.push_back(row.other);
  into.cpu.push_back(row.cpu);
  into.kind.push_back(static_cast<std::uint8_t>(kind));
}

void wait_records::add_sample(const attribute& event, const sample_fields& fields, bool swap,
                              capture_content& into) {
  note_time(fields.cpu, fields.time_ns);
  const std::size_t sample = into.samples.time_ns.size() - 1;
  if (is_context_switch(event) && fields.registers_abi == PERF_SAMPLE_REGS_ABI_64) {
    add_row(into.samples.register_row, sample,
            into.waits.registers.size() / wait_columns::register_count);
    append_registers(event, fields, swap, into.waits.registers);
  }
  if (event.type == PERF_TYPE_TRACEPOINT && !fields.raw.empty()) {
    add_row(into.samples.raw, sample, raw_.size());
    raw_.push_back(keep_fields(fields.raw));
  }
}

void wait_records::add_lost(std::int32_t cpu, std::uint64_t time_ns, std::uint64_t count,
                            lost_columns& into) {
  into.begin_ns.push_back(std::min(latest_ns(cpu), time_ns));
  into.end_ns.push_back(time_ns);
  into.count.push_back(count);
  into.cpu.push_back(cpu);
  note_time(cpu, time_ns);
}

void wait_records::pad(sample_columns& samples) {
  pad_rows(samples.register_row, samples.time_ns.size());
  pad_rows(samples.raw, samples.time_ns.size());
}

void wait_records::finish(thread_table& threads, const sideband& side, capture_content& into) {
  sort_switches(into.waits.switches);
  add_tasks(threads, side, into.waits.tasks);
  const bool has_more_switches = decode(threads, into);
  if (has_more_switches) sort_switches(into.waits.switches);
}

void wait_records::sort_switches(switch_columns& switches) {
  const auto order = time_order(switches.time_ns, budget_);
  if (!std::is_sorted(order.values().begin(), order.values().end())) {
    reorder(switches.time_ns, order, budget_);
    reorder(switches.thread, order, budget_);
    reorder(switches.other, order, budget_);
    reorder(switches.cpu, order, budget_);
    reorder(switches.kind, order, budget_);
  }
  budget_.release(order.size() * sizeof(std::uint32_t));
}

bool wait_records::decode(thread_table& threads, capture_content& into) {
  // perf record --switch-events and the tracepoint record the same switches.
  const auto times = into.waits.switches.time_ns.values();
  const std::uint64_t last_record_ns = times.empty() ? 0 : times.back();
  const std::size_t records = times.size();
  sample_columns& samples = into.samples;
  const bool swap = into.big_endian != is_big_endian;
  std::vector<tracepoint> kinds;
  for (const attribute& event : into.attributes) {
    kinds.push_back(tracepoint_of(event.name));
  }
  std::optional<thread_finder> finder;
  for (std::size_t row = 0; row < samples.raw.size(); ++row) {
    const tracepoint kind = kinds[samples.event[row]];
    if (samples.raw[row] == wait_columns::none || kind == tracepoint::other) {
      continue;
    }
    const raw_fields& raw = raw_[samples.raw[row]];
    if (kind == tracepoint::contention_begin || kind == tracepoint::contention_end) {
      add_contention(samples, row, kind, parse_contention(raw, swap), into.waits.contentions);
      continue;
    }
    if (!finder) finder.emplace(threads, into, budget_);
    if (kind == tracepoint::waking) {
      add_wake(samples, row, parse_waking(raw, swap), *finder, into.waits.wakes);
    } else if (samples.time_ns[row] > last_record_ns) {
      add_switch_sample(samples, row, parse_switch(raw, swap), *finder, into.waits.switches);
    }
  }
  budget_.release(raw_.size() * sizeof(raw_fields) + samples.raw.size() * sizeof(std::uint32_t));
  column<raw_fields>(budget_).swap(raw_);
  column<std::uint32_t>(budget_).swap(samples.raw);
  return into.waits.switches.time_ns.size() != records;
}

}  // namespace stallscope::capture
