// Where the fields of a sample, and of the trailers of all other records, stand: sample_type tells.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>

#include "capture/capture.hpp"
#include "capture/record_stream.hpp"

namespace stallscope::capture {

// The counts of an event, or of all events of its group, as they stood at a sample.
struct counter_reading {
  std::uint64_t enabled_ns = 0;
  std::uint64_t running_ns = 0;
  std::span<const std::byte> values;  // entries of `entry_bytes`: the value, then its id
  std::size_t entry_bytes = 0;
};

// One sample's fields; those that its event did not record keep their defaults. Spans stand as long
// as the record's bytes do.
struct sample_fields {
  std::optional<std::uint64_t> ip;
  std::optional<std::uint64_t> period;
  std::uint64_t time_ns = 0;
  std::int32_t pid = -1;
  std::int32_t tid = -1;
  std::int32_t cpu = -1;
  std::optional<counter_reading> reading;  // where the values have ids
  std::span<const std::byte> chain;
  std::uint64_t registers_abi = 0;  // PERF_SAMPLE_REGS_ABI_*: none, 32 or 64 bits
  std::span<const std::byte> user_registers;
  std::span<const std::byte> user_stack;  // as much of the copy as holds stack and was read
  std::size_t user_stack_bytes = 0;       // as much of it as holds stack
};

// `sample` may be without its stack.
sample_fields parse_sample(const attribute& event, const record& sample, bool swap);
// The copied stack of a sample whose payload's beginning is given. Nothing where fields of other
// sizes stand before it, as perf's usual samples do not have, or where the payload is too short.
std::optional<stack_place> find_stack(const attribute& event, std::span<const std::byte> beginning,
                                      bool swap);

// Where a record tells which event it belongs to: the same place for all events of a file, since it
// must be found before the event is known.
struct id_place {
  std::optional<std::size_t> in_sample;  // bytes from the start of the payload
  std::optional<std::size_t> from_end;   // bytes from the end of any other record
  bool operator==(const id_place&) const = default;
};
id_place find_id_place(const attribute& event);

// Size of the trailer behind records that are no samples; 0 where the event has none.
std::size_t trailer_size(const attribute& event);
// The trailer's time, if it has one.
std::optional<std::uint64_t> trailer_time(const attribute& event,
                                          std::span<const std::byte> trailer, bool swap);

}  // namespace stallscope::capture
