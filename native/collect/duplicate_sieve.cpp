#include "collect/duplicate_sieve.hpp"

#include <algorithm>

namespace stallscope::collect {
namespace {

// Both events of a duplicate sample at the same rate, so the second id appears long before this.
constexpr std::uint32_t samples_to_clear = 16;
// The samples of a closed event leave the rings in one pass; the rest is a safety margin.
constexpr std::uint32_t rounds_to_forget = 3;

std::uint64_t key_of(std::int32_t tid, std::size_t ring_index) {
  return (static_cast<std::uint64_t>(static_cast<std::uint32_t>(tid)) << 32U) | ring_index;
}

}  // namespace

void duplicate_sieve::observe(const perf_events::record_view& record, std::size_t ring_index) {
  if (record.type() == PERF_RECORD_EXIT) {
    const auto tid = static_cast<std::int32_t>(record.u32(16));
    for (std::size_t i = 0; i < events_->rings().size(); ++i) witnesses_.erase(key_of(tid, i));
    std::erase_if(suspects_,
                  [this, tid](std::size_t number) { return events_->at(number).tid == tid; });
    return;
  }
  if (record.type() != PERF_RECORD_SAMPLE) return;
  const perf_events::sample_fields_view sample{record};
  const auto* slot = events_->find(sample.id);
  if (slot == nullptr || redundant_.contains(sample.id)) return;
  const auto number = events_->number_of(*slot);
  auto& seen =
      witnesses_.try_emplace(key_of(sample.tid, ring_index), witness{number, 0}).first->second;
  if (seen.number != number) {
    judge(seen.number, number);
    seen.number = std::min(seen.number, number);
  } else if (++seen.samples == samples_to_clear && slot->tid == sample.tid) {
    suspects_.erase(number);
  }
}

void duplicate_sieve::judge(std::size_t first, std::size_t second) {
  const std::size_t later = std::max(first, second);
  const auto& extra = events_->at(later);
  // Events are opened CPU by CPU: a thread that inherited this event inherited those of the earlier
  // CPUs, too.
  for (std::size_t number = later + 1; number-- > 0 && events_->at(number).tid == extra.tid;) {
    if (events_->at(number).ring_index > extra.ring_index) break;
    if (!events_->at(number).fd) continue;
    redundant_.insert(events_->at(number).id);
    for (const auto id : events_->at(number).companion_ids) redundant_.insert(id);
    suspects_.erase(number);
    events_->close(number);
    ++closed_;
  }
  rounds_since_redundant_ = 0;
}

void duplicate_sieve::settle() {
  if (redundant_.empty() || ++rounds_since_redundant_ < rounds_to_forget) return;
  redundant_.clear();
}

bool duplicate_sieve::keep(const perf_events::record_view& record) const {
  if (redundant_.empty()) return true;
  if (record.type() == PERF_RECORD_SAMPLE)
    return !redundant_.contains(perf_events::sample_fields_view{record}.id);
  // The id of a switch is the last word of the record.
  if (record.type() == PERF_RECORD_SWITCH)
    return !redundant_.contains(record.u64(record.size() - sizeof(std::uint64_t)));
  return true;
}

}  // namespace stallscope::collect
