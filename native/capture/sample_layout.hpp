// The layout of samples and of the trailers of other records, from sample_type. Pure computation.
// Any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "capture/capture.hpp"
#include "capture/record_stream.hpp"

namespace stallscope::capture {

// The counts of an event, or of all events of its group, at a sample.
struct counter_reading {
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  std::span<const std::byte> values;  // entries of `entry_bytes`: the value, then its id
  std::size_t entry_bytes = 0;
};

// The memory access that an event sampled; fields that it did not record are 0.
struct memory_access {
  std::uint64_t address = 0;
  std::uint64_t physical_address = 0;
  std::uint64_t source = 0;  // perf_mem_data_src: level, snoop, TLB, node
  std::uint64_t weight = 0;  // latency in cycles
};

// The fields of a sample. Fields that the event did not record keep their defaults. Spans are valid
// as long as the record's bytes.
struct sample_fields {
  std::optional<std::uint64_t> ip;
  std::optional<std::uint64_t> period;
  std::uint64_t time_ns = 0;
  std::int32_t pid = -1;
  std::int32_t tid = -1;
  std::int32_t cpu = -1;
  std::optional<counter_reading> reading;  // if the values have ids
  std::optional<memory_access> access;     // if address and data source were recorded
  std::span<const std::byte> chain;
  std::span<const std::byte> raw;   // the fields of a tracepoint
  std::uint64_t registers_abi = 0;  // PERF_SAMPLE_REGS_ABI_*: none, 32 or 64 bits
  std::span<const std::byte> user_registers;
  std::span<const std::byte> user_stack;  // the used part of the copy, if it was read
  std::size_t user_stack_bytes = 0;       // the size of the used part
};

// The payload of `sample` may lack its stack.
sample_fields parse_sample(const attribute& event, const record& sample, bool swap);
// Returns the position of a sample's copied stack, from the start of its payload. Returns nullopt
// if fields of variable size precede it, which perf's usual samples lack, or the payload is too
// short.
std::optional<stack_place> find_stack(const attribute& event, std::span<const std::byte> beginning,
                                      bool swap);

// The position of the event id in a record. It is the same for all events of a file, because it is
// read before the event is known.
struct id_place {
  std::optional<std::size_t> in_sample;  // bytes from the start of the payload
  std::optional<std::size_t> from_end;   // bytes from the end of any other record
  bool operator==(const id_place&) const = default;
};
id_place find_id_place(const attribute& event);

// The size of the trailer of records other than samples; 0 if the event has none.
std::size_t trailer_size(const attribute& event);
// The fields of a trailer. Fields that the event did not record keep their defaults.
struct trailer_fields {
  std::optional<std::uint64_t> time_ns;
  std::int32_t pid = -1;
  std::int32_t tid = -1;
  std::int32_t cpu = -1;
};
trailer_fields parse_trailer(const attribute& event, std::span<const std::byte> trailer, bool swap);

}  // namespace stallscope::capture
