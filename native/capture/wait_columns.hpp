// What a capture records about waiting: context switches, starts and exits of threads, wake-ups,
// contended kernel locks, registers at switches, and lost records. The arrays are documented in
// stallscope/_native.pyi. Threads are indexes into the capture's threads.
#pragma once

#include <cstdint>

#include "capture/column.hpp"

namespace stallscope::capture {

enum class switch_kind : std::uint8_t { in = 0, out_asleep = 1, out_preempted = 2 };

// SWITCH and SWITCH_CPU_WIDE records: 21 bytes each.
struct switch_columns {
  static constexpr std::uint32_t no_thread = 0xffff'ffff;

  explicit switch_columns(memory_budget& budget)
      : time_ns(budget), thread(budget), other(budget), cpu(budget), kind(budget) {}
  column<std::uint64_t> time_ns;
  column<std::uint32_t> thread;
  column<std::uint32_t> other;  // the next or previous thread of a CPU-wide record
  column<std::int32_t> cpu;
  column<std::uint8_t> kind;
};

enum class task_kind : std::uint8_t { start = 0, exit = 1, exec = 2 };

// Events in the life of threads; records that describe threads from before the recording are left
// out.
struct task_columns {
  explicit task_columns(memory_budget& budget) : time_ns(budget), thread(budget), kind(budget) {}
  column<std::uint64_t> time_ns;
  column<std::uint32_t> thread;
  column<std::uint8_t> kind;
};

// Wake-ups (the tracepoint sched_waking).
struct wake_columns {
  explicit wake_columns(memory_budget& budget)
      : time_ns(budget), wakee(budget), waker(budget), stack(budget), cpu(budget), flags(budget) {}
  column<std::uint64_t> time_ns;
  column<std::uint32_t> wakee;
  column<std::uint32_t> waker;  // the thread that ran, a bystander in interrupts
  column<std::uint32_t> stack;
  column<std::int32_t> cpu;
  column<std::uint8_t> flags;  // common_flags: 8 hard interrupt, 16 soft interrupt
};

// Begins and ends of contention for a kernel lock (lock:contention_begin, lock:contention_end).
struct contention_columns {
  explicit contention_columns(memory_budget& budget)
      : time_ns(budget),
        address(budget),
        thread(budget),
        stack(budget),
        flags(budget),
        end(budget) {}
  column<std::uint64_t> time_ns;
  column<std::uint64_t> address;
  column<std::uint32_t> thread;
  column<std::uint32_t> stack;
  column<std::uint32_t> flags;  // LCB_F_* of a begin, the result of an end
  column<std::uint8_t> end;     // 1: the contention ended
};

// A period in which a ring was full: from the CPU's last record before it.
struct lost_columns {
  explicit lost_columns(memory_budget& budget)
      : begin_ns(budget), end_ns(budget), count(budget), cpu(budget) {}
  column<std::uint64_t> begin_ns;
  column<std::uint64_t> end_ns;
  column<std::uint64_t> count;
  column<std::int32_t> cpu;  // -1 if not recorded
};

struct wait_columns {
  // Registers per row: ip, sp, result, six arguments, return address.
  static constexpr std::size_t register_count = 10;
  static constexpr std::uint32_t none = 0xffff'ffff;

  explicit wait_columns(memory_budget& budget)
      : switches(budget),
        tasks(budget),
        wakes(budget),
        contentions(budget),
        lost(budget),
        registers(budget) {}
  switch_columns switches;
  task_columns tasks;
  wake_columns wakes;
  contention_columns contentions;
  lost_columns lost;
  column<std::uint64_t> registers;  // rows of register_count values
};

}  // namespace stallscope::capture
