#include "collect/runtime_forwarder.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <cstring>
#include <span>

#include "collect/stack_choice.hpp"

namespace stallscope::collect {
namespace {

constexpr std::uint64_t bytes_before_chain = 56;  // header and the fields of sample_fields_view
constexpr std::uint64_t bytes_per_word = sizeof(std::uint64_t);
constexpr std::size_t max_registers = 64;

}  // namespace

// The drain may release records during the pass, and the kernel may then overwrite them. What was
// read of such a record is discarded.
void runtime_forwarder::forward() {
  const auto head = ring_.head();
  while (seen_ < head) {
    seen_ = std::max(seen_, ring_.tail());
    if (seen_ >= head) break;
    const perf_events::record_view record{ring_, seen_};
    const auto size = record.size();
    if (ring_.tail() > seen_) continue;
    if (size < sizeof(perf_event_header) || record.end() > head) break;
    observe(record);
    seen_ += size;
  }
}

void runtime_forwarder::observe(const perf_events::record_view& record) {
  if (record.type() == PERF_RECORD_SAMPLE) {
    if (!hooks_.selects(record)) return;
    auto* slot = hooks_.slot();
    if (slot != nullptr && fill(record, *slot)) hooks_.commit();
    return;
  }
  const bool exec =
      record.type() == PERF_RECORD_COMM && (record.misc() & PERF_RECORD_MISC_COMM_EXEC) != 0;
  const bool end = record.type() == PERF_RECORD_EXIT && record.u32(8) == record.u32(16);
  const auto pid = static_cast<pid_t>(record.u32(8));
  if ((exec || end) && ring_.tail() <= record.position()) hooks_.forget(pid);
}

bool runtime_forwarder::fill(const perf_events::record_view& record,
                             managed_frames::sample_slot& slot) const {
  const std::uint64_t size = record.size();
  const auto mask = unwind::perf_mask(this_architecture());
  const auto count = static_cast<std::size_t>(std::popcount(mask));
  if (size < bytes_before_chain + bytes_per_word) return false;
  const auto chain = record.u64(bytes_before_chain);
  if (chain > size / bytes_per_word) return false;
  std::uint64_t at = bytes_before_chain + bytes_per_word * (1 + chain);
  if (at + bytes_per_word * (count + 2) > size || record.u64(at) != PERF_SAMPLE_REGS_ABI_64)
    return false;
  std::array<std::uint64_t, max_registers> values{};
  for (std::size_t i = 0; i < count; ++i) values.at(i) = record.u64(at += bytes_per_word);
  const auto room = record.u64(at += bytes_per_word);
  at += bytes_per_word;
  if (room == 0 || room > size || at + room + bytes_per_word != size) return false;
  const auto copied = std::min({record.u64(at + room), room, std::uint64_t{slot.stack.size()}});
  std::byte* into = slot.stack.data();
  for (const auto& piece : ring_.pieces(record.position() + at, record.position() + at + copied)) {
    if (piece.empty()) continue;
    std::memcpy(into, piece.data(), piece.size());
    into += piece.size();
  }
  const perf_events::sample_fields_view fields{record};
  slot.pid = fields.pid;
  slot.tid = fields.tid;
  slot.time_ns = fields.time_ns;
  slot.registers = unwind::from_perf(this_architecture(), mask, std::span{values}.first(count));
  constexpr unsigned sp =
      this_architecture() == unwind::architecture::x86_64 ? unwind::x86_64::rsp : unwind::arm64::sp;
  slot.stack_address = slot.registers.at(sp);
  slot.stack_bytes = static_cast<std::size_t>(copied);
  return ring_.tail() <= record.position();
}

}  // namespace stallscope::collect
