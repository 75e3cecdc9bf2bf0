#include "collect/runtime_forwarder.hpp"

#include <algorithm>
#include <atomic>
#include <cstring>

#include "collect/copied_stack.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t most_reserved_bytes = std::uint64_t{256} << 10U;

}  // namespace

// The drain releases records, and the kernel overwrites them later, when the ring is full again.
// What was read of an overwritten record is discarded; the next one that is known begins at the
// tail.
void runtime_forwarder::forward() {
  const auto head = ring_.head();
  while (seen_ < head) {
    if (!intact(seen_)) seen_ = std::max(seen_, ring_.tail());
    if (seen_ >= head) break;
    const perf_events::record_view record{ring_, seen_};
    const auto size = record.size();
    if (!intact(seen_)) continue;
    if (size < sizeof(perf_event_header) || record.end() > head) break;
    observe(record);
    seen_ += size;
  }
}

// The kernel reserves the room of a record, and of those of interrupts within it, before it
// publishes the head.
bool runtime_forwarder::intact(std::uint64_t position) const noexcept {
  std::atomic_thread_fence(std::memory_order_acquire);  // of what was read before
  const auto reserved = std::min<std::uint64_t>(most_reserved_bytes, ring_.size() / 2);
  return position >= ring_.tail() || ring_.head() + reserved <= position + ring_.size();
}

void runtime_forwarder::observe(const perf_events::record_view& record) {
  if (record.type() == PERF_RECORD_SAMPLE) {
    if (!hooks_.selects(record)) return;
    auto* slot = hooks_.slot();
    if (slot != nullptr && fill(record, *slot)) {
      newest_ns_ = slot->time_ns;
      hooks_.commit();
    }
    return;
  }
  const bool exec =
      record.type() == PERF_RECORD_COMM && (record.misc() & PERF_RECORD_MISC_COMM_EXEC) != 0;
  const bool end = record.type() == PERF_RECORD_EXIT && record.u32(8) == record.u32(16);
  const auto pid = static_cast<pid_t>(record.u32(8));
  if ((exec || end) && intact(record.position())) hooks_.forget(pid);
}

bool runtime_forwarder::fill(const perf_events::record_view& record,
                             managed_frames::sample_slot& slot) const {
  const auto place = find_copied_stack(record);
  if (!place) return false;
  const perf_events::sample_fields_view fields{record};
  slot.pid = fields.pid;
  slot.tid = fields.tid;
  slot.time_ns = fields.time_ns;
  slot.registers = registers_of(record, *place);
  slot.stack_address = slot.registers.at(stack_pointer());
  const auto copied = std::min<std::uint64_t>(
      hooks_.ends->used_bytes(fields.tid, slot.stack_address, place->copied), slot.stack.size());
  const auto begin = record.position() + place->room_at + sizeof(std::uint64_t);
  std::byte* into = slot.stack.data();
  for (const auto& piece : ring_.pieces(begin, begin + copied)) {
    if (piece.empty()) continue;
    std::memcpy(into, piece.data(), piece.size());
    into += piece.size();
  }
  slot.stack_bytes = static_cast<std::size_t>(copied);
  return intact(record.position());
}

}  // namespace stallscope::collect
