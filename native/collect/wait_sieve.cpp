#include "collect/wait_sieve.hpp"

#include "collect/process_filter.hpp"

namespace stallscope::collect {
namespace {

constexpr pid_t max_pid = 1 << 22;  // PID_MAX_LIMIT
constexpr std::uint64_t wake_up_chain_offset = 56;

// Returns the number in the raw data of a sample with an offset; 0 if it is outside the record.
pid_t raw_pid(const perf_events::record_view& record, std::uint32_t offset) {
  if (record.size() < wake_up_chain_offset + 16) return 0;
  const std::uint64_t frames = record.u64(wake_up_chain_offset);
  const std::uint64_t room = record.size() - wake_up_chain_offset - 16;
  if (frames > room / sizeof(std::uint64_t)) return 0;
  const std::uint64_t raw = wake_up_chain_offset + sizeof frames + frames * sizeof frames;
  const std::uint64_t at = raw + sizeof(std::uint32_t) + offset;
  return at + sizeof(std::uint32_t) <= record.size() ? static_cast<pid_t>(record.u32(at)) : 0;
}

bool concerns_task(std::uint32_t type) {
  return type == PERF_RECORD_MMAP || type == PERF_RECORD_MMAP2 || type == PERF_RECORD_FORK ||
         type == PERF_RECORD_COMM || type == PERF_RECORD_EXIT;
}

}  // namespace

void pid_set::insert(pid_t pid) {
  if (pid < 0 || pid >= max_pid) return;
  const auto index = static_cast<std::size_t>(pid);
  if (index >= bits_.size()) bits_.resize(index + 1);
  bits_[index] = true;
}

void pid_set::erase(pid_t pid) noexcept {
  if (contains(pid)) bits_[static_cast<std::size_t>(pid)] = false;
}

bool pid_set::contains(pid_t pid) const noexcept {
  const auto index = static_cast<std::size_t>(pid);
  return pid >= 0 && index < bits_.size() && bits_[index];
}

void wait_sieve::add_wake_ups(std::span<const std::uint64_t> ids, std::uint32_t pid_offset) {
  for (const auto id : ids) offsets_[id] = pid_offset;
}

void wait_sieve::add_events_of_runner(std::span<const std::uint64_t> ids) {
  for (const auto id : ids) offsets_[id] = 0;
}

std::optional<std::uint64_t> wait_sieve::written_id(const perf_events::record_view& record) const {
  if (aliases_ == nullptr || record.size() < 16) return std::nullopt;
  const auto id = record.u64(id_offset(record));
  return known_.contains(id) ? std::nullopt : aliases_->find(id);
}

void wait_sieve::observe(const perf_events::record_view& record, std::size_t ring_index) {
  if (record.type() == PERF_RECORD_FORK) {
    const fork_notice fork{record};
    if (processes_.contains(fork.parent_pid)) {
      processes_.insert(fork.pid);
      threads_.insert(fork.tid);
    } else {
      // The number of an ended thread of the target is used again.
      threads_.erase(fork.tid);
      if (fork.pid == fork.tid) processes_.erase(fork.pid);
    }
  }
  if (inner_ != nullptr && inner_->watching()) inner_->observe(record, ring_index);
}

void wait_sieve::settle() {
  if (inner_ != nullptr && inner_->watching()) inner_->settle();
}

bool wait_sieve::keep(const perf_events::record_view& record) const {
  if (record.type() == PERF_RECORD_SAMPLE) {
    perf_events::sample_fields_view sample{record};
    sample.id = written_id(record).value_or(sample.id);
    const auto offset = offsets_.find(sample.id);
    if (offset != offsets_.end())
      return threads_.contains(offset->second == 0 ? sample.tid : raw_pid(record, offset->second));
    if (of_all_.contains(sample.id)) return true;
    if (!known_.empty() && !known_.contains(sample.id)) {
      ++unknown_samples_;
      return false;
    }
  }
  if (tasks_filtered_ && concerns_task(record.type()))
    return processes_.contains(static_cast<pid_t>(record.u32(8)));
  return inner_ == nullptr || !inner_->watching() || inner_->keep(record);
}

bool wait_sieve::of_target(const perf_events::record_view& record) const {
  // COMM, MMAP2 and EXIT records start with the process. The events of whole CPUs record those of
  // all processes.
  if (record.type() != PERF_RECORD_COMM && record.type() != PERF_RECORD_MMAP2 &&
      record.type() != PERF_RECORD_EXIT)
    return true;
  return record.size() >= 16 && processes_.contains(static_cast<pid_t>(record.u32(8)));
}

}  // namespace stallscope::collect
