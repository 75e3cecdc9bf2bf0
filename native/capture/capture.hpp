// A capture in memory: samples as columns sorted by time, with unique stacks and frames. The arrays
// are documented in stallscope/_native.pyi and passed to Python without a copy.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "capture/column.hpp"
#include "capture/wait_columns.hpp"

namespace stallscope::capture {

enum class frame_kind : std::uint8_t {
  user = 0,
  kernel = 1,
  guest_kernel = 2,
  guest_user = 3,
  hypervisor = 4,
  unknown = 5,
  managed = 6,      // a run of managed frames; the address is its number
  interpreted = 7,  // code of an interpreter; the address is its number
};

// The fields of perf_event_attr. Fields that the file's version lacks are 0.
struct attribute {
  std::uint32_t type = 0;
  std::uint64_t config = 0;
  std::uint64_t sample_type = 0;
  std::uint64_t read_format = 0;
  std::uint64_t branch_sample_type = 0;
  std::uint64_t registers_user = 0;
  std::uint64_t registers_interrupt = 0;
  std::uint64_t frequency_hz = 0;
  std::uint64_t period = 0;
  bool exclude_user = false;
  bool exclude_kernel = false;
  bool inherit = false;
  bool sample_id_all = false;
  std::optional<std::int32_t> clock_id;
  std::string name;
};

struct build_id {
  std::array<std::uint8_t, 20> bytes{};
  std::uint8_t size = 0;
  auto operator<=>(const build_id&) const = default;
};

struct object {
  std::string path;
  stallscope::capture::build_id build_id;
  bool kernel = false;
  bool anonymous = false;
  std::int32_t pid = -1;
  std::uint64_t start = 0;
  std::uint64_t length = 0;
  std::uint64_t page_offset = 0;
  std::uint32_t major = 0;
  std::uint32_t minor = 0;
  std::uint64_t inode = 0;
};

struct thread {
  std::int32_t pid = -1;
  std::int32_t tid = -1;
  std::string name;
  std::string process_name;
};

struct host {
  std::string name;
  std::string kernel_release;
  std::string architecture;
  std::vector<std::string> command_line;
};

struct sample_columns {
  explicit sample_columns(memory_budget& budget)
      : time_ns(budget),
        period(budget),
        thread(budget),
        stack(budget),
        cpu(budget),
        event(budget),
        read(budget),
        access(budget),
        register_row(budget),
        raw(budget) {}
  column<std::uint64_t> time_ns;
  uniform_column<std::uint64_t> period;
  column<std::uint32_t> thread;
  column<std::uint32_t> stack;
  column<std::int32_t> cpu;
  uniform_column<std::uint16_t> event;
  column<std::uint32_t> read;    // row of the reading; empty if no sample has a reading
  column<std::uint32_t> access;  // row of the memory access; empty if no sample has one
  // Row of the registers of a context switch; empty if no sample has registers.
  column<std::uint32_t> register_row;
  column<std::uint32_t> raw;  // row of the tracepoint's fields, until they are decoded
};

// The memory accesses of samples, in the order of the file.
struct access_columns {
  static constexpr std::uint32_t none = 0xffff'ffff;

  explicit access_columns(memory_budget& budget)
      : address(budget), physical_address(budget), source(budget), weight(budget) {}
  column<std::uint64_t> address;
  column<std::uint64_t> physical_address;  // 0 if not recorded
  column<std::uint64_t> source;            // perf_mem_data_src
  column<std::uint64_t> weight;            // latency in cycles, 0 if not recorded
};

// A node of the machine: its CPUs, and the ranges of its physical memory.
struct memory_node {
  struct range {
    std::uint64_t start = 0;
    std::uint64_t end = 0;
  };
  std::uint32_t number = 0;
  std::string cpus;  // "0-3,8"
  std::vector<range> memory;
};

// The output of a tracing unit (AUXTRACE), for example Arm's statistical profiling extension.
struct trace_block {
  std::uint64_t file_offset = 0;
  std::uint64_t bytes = 0;
  std::int32_t tid = -1;
  std::int32_t cpu = -1;
};

// The counter readings of samples, in the order of the file.
struct read_columns {
  static constexpr std::uint32_t none = 0xffff'ffff;
  static constexpr std::uint16_t unknown_event = 0xffff;

  explicit read_columns(memory_budget& budget)
      : stream(budget),
        enabled_ns(budget),
        running_ns(budget),
        offset(budget),
        event(budget),
        value(budget),
        paused(budget) {}
  column<std::uint64_t> stream;  // the id of the group's leader
  column<std::uint64_t> enabled_ns;
  column<std::uint64_t> running_ns;
  column<std::uint64_t> offset;  // of the first value; has one entry more than there are readings
  column<std::uint16_t> event;
  column<std::uint64_t> value;
  // 1 if the kernel stopped sampling since the previous reading. Before Linux 6.16 the other
  // counters of the group continue during the stop.
  column<std::uint8_t> paused;
};

struct stack_columns {
  explicit stack_columns(memory_budget& budget)
      : offset(budget),
        end(budget),
        frame(budget),
        frame_address(budget),
        frame_object(budget),
        kind(budget) {}
  column<std::uint64_t> offset;
  column<std::uint8_t> end;  // unwind::chain_end
  column<std::uint32_t> frame;
  column<std::uint64_t> frame_address;
  column<std::int32_t> frame_object;
  column<std::uint8_t> kind;
};

struct capture_content {
  explicit capture_content(memory_budget& budget)
      : samples(budget), reads(budget), accesses(budget), stacks(budget), waits(budget) {}
  bool pipe = false;
  bool big_endian = false;
  std::vector<attribute> attributes;
  std::vector<object> objects;
  std::vector<thread> threads;
  stallscope::capture::host host;
  sample_columns samples;
  read_columns reads;
  access_columns accesses;
  std::vector<memory_node> nodes;
  std::uint32_t trace_kind = 0;  // of AUXTRACE_INFO; 0 without traces
  std::vector<trace_block> traces;
  stack_columns stacks;
  wait_columns waits;
  std::uint64_t lost_records = 0;
  std::uint64_t lost_samples = 0;
  std::uint64_t unknown_records = 0;  // of types newer than this reader, which were skipped
  std::uint64_t deferred_stacks = 0;  // samples whose deferred user stack is not in the capture
  std::uint64_t throttles = 0;
  // The offset at which a truncated file ends; nullopt for a complete file.
  std::optional<std::uint64_t> truncated_at;
  // The end of the records according to the file header; nullopt in pipe mode.
  std::optional<std::uint64_t> records_end;
  std::uint64_t bytes_read = 0;
};

}  // namespace stallscope::capture
