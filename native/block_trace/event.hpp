// The kernel's block_* tracepoints: where their fields lie, as its format files tell, and a record
// read into one form. Source: include/trace/events/block.h; rwbs: blk_fill_rwbs() of
// kernel/trace/blktrace.c. Any thread; decoding costs some 10 ns.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

#include "block_trace/ring_page.hpp"

namespace stallscope::block_trace {

// In the order in which a request meets them, which decides between events of one time.
enum class event_kind : std::uint8_t {
  lost,  // no tracepoint: the ring lost events up to here
  split,
  flush_asked,  // a request that wants a flush was made
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
  std::uint16_t size = 0;  // 0: this kernel's record has no such field
};

// One tracepoint of this kernel.
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
  std::uint64_t sector = 0;  // 0 where the request has none, as a flush
  std::uint32_t device = 0;  // major << 20 | minor, as in the kernel; the whole disk's
  std::uint32_t sectors = 0;
  std::uint32_t bytes = 0;
  std::int32_t error = 0;
  std::int32_t pid = 0;  // the thread it happened in: an interrupt's is whatever ran
  event_kind kind = event_kind::lost;
  operation op = operation::other;
  task_name comm{};
};

// What a request does, by the letters that the kernel writes of it.
[[nodiscard]] operation operation_of(std::string_view rwbs) noexcept;

// Whether a record holds every field of the layout; fills `event`. Numbers are of the machine's
// own byte order.
[[nodiscard]] bool decode(const ring_record& record, const event_layout& layout,
                          block_event& event) noexcept;

}  // namespace stallscope::block_trace
