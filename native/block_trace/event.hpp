// The kernel's block_* tracepoints: the layout of their fields, as read from the tracefs format
// files, and the decoding of a record into a block_event. Decoding costs about 10 ns. Any thread.
// Source: include/trace/events/block.h; rwbs: blk_fill_rwbs() in kernel/trace/blktrace.c.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "block_trace/ring_page.hpp"

namespace stallscope::block_trace {

// In the order of a request's life cycle; the order breaks ties between equal timestamps.
enum class event_kind : std::uint8_t {
  lost,  // not a tracepoint: the ring buffer lost events before this time
  split,
  flush_requested,  // a request with a flush was created
  bio_front_merge,
  request_merge,
  insert,
  requeue,
  bio_queue,
  issue,
  complete,
  bio_complete,
};

enum class operation : std::uint8_t { read, write, discard, flush, other };

struct field {
  std::uint16_t offset = 0;
  std::uint16_t size = 0;  // 0: the field does not exist in this kernel
};

// Layout of a tracepoint in the running kernel.
struct event_layout {
  std::uint16_t number = 0;
  event_kind kind = event_kind::lost;
  field device;
  field sector;
  field sectors;
  field bytes;
  field error;
  field rwbs;
  field comm;
};

using task_name = std::array<char, 16>;

struct block_event {
  std::uint64_t t_ns = 0;
  std::uint64_t sector = 0;  // 0 if the request has no sector, such as a flush
  std::uint32_t device = 0;  // major << 20 | minor, as in the kernel; of the whole disk
  std::uint32_t sectors = 0;
  std::uint32_t bytes = 0;
  std::int32_t error = 0;
  std::int32_t pid = 0;  // current thread; in an interrupt, the interrupted thread
  event_kind kind = event_kind::lost;
  operation op = operation::other;
  task_name comm{};
};

// Returns the operation for the kernel's rwbs letters.
[[nodiscard]] operation operation_of(std::string_view rwbs) noexcept;

// Decodes a record in native byte order into `event`. Returns false if the record is too short for
// the layout.
[[nodiscard]] bool decode(const ring_record& record, const event_layout& layout,
                          block_event& event) noexcept;

}  // namespace stallscope::block_trace
